"""Queries, keys and values side by side in one projection come apart; the kernel returns the three."""

# legal: width % 3 == 0, T % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl

P_MAX = 128


@nki.jit
def qkv_split(qkv):
    """
    Args:
        qkv: fused projection of shape [T, width], width = 3 * head_dim

    Returns:
        tuple of q, k, v, each of shape [T, head_dim]
    """
    T, width = qkv.shape
    assert width % 3 == 0, f"width {width} must hold three parts"
    assert T % P_MAX == 0, f"T {T} must be a multiple of {P_MAX}"
    head_dim = width // 3
    outs = [nl.ndarray((T, head_dim), dtype=qkv.dtype, buffer=nl.shared_hbm) for _ in range(3)]
    for t in range(T // P_MAX):
        rows = slice(t * P_MAX, (t + 1) * P_MAX)
        fused = nl.ndarray((P_MAX, width), dtype=qkv.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=fused, src=qkv[rows, :])
        for part, out in enumerate(outs):
            # bug: nisa.dma_copy(dst=out[rows, :], src=fused[:, (part + 1) * head_dim : (part + 2) * head_dim])
            nisa.dma_copy(dst=out[rows, :], src=fused[:, part * head_dim : (part + 1) * head_dim])
    return tuple(outs)
