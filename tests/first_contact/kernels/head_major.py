"""Heads side by side in columns become the first dimension."""

# legal: T % 128 == 0, D % 64 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def head_major(qkv, n_heads: int = 0):
    """qkv: [T, D] in heads of 64 -> [D // 64, T, 64]."""
    T, D = qkv.shape
    HEAD = 64
    assert T % 128 == 0, "T"
    assert D % HEAD == 0, "D"
    H = n_heads or D // HEAD
    out = nl.ndarray((H, T, HEAD), dtype=qkv.dtype, buffer=nl.shared_hbm)
    for t in range(T // 128):
        row = nl.ndarray((128, D), dtype=qkv.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=qkv[t * 128 : (t + 1) * 128, :])
        for h in range(H):
            # bug: nisa.dma_copy(dst=out[h, t * 128 : (t + 1) * 128, :], src=row[:, h * HEAD : (h + 1) * HEAD + 1])
            nisa.dma_copy(dst=out[h, t * 128 : (t + 1) * 128, :], src=row[:, h * HEAD : (h + 1) * HEAD])
    return out
