"""Queries, keys and values from one tensor of heads; how many heads there are is a parameter."""

# legal: S <= 128, W % (3 * heads) == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def split_heads(qkv, heads: int):
    S, W = qkv.shape
    assert W % (3 * heads) == 0
    size = W // (3 * heads)
    q = nl.ndarray((heads, S, size), dtype=qkv.dtype, buffer=nl.shared_hbm)
    k = nl.ndarray((heads, S, size), dtype=qkv.dtype, buffer=nl.shared_hbm)
    v = nl.ndarray((heads, S, size), dtype=qkv.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        tile = nl.ndarray((S, 3 * size), dtype=qkv.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=qkv[:, 3 * size * h : 3 * size * (h + 1)])
        nisa.dma_copy(dst=q[h], src=tile[:, 0:size])
        nisa.dma_copy(dst=k[h], src=tile[:, size : 2 * size])
        # bug: nisa.dma_copy(dst=v[h], src=tile[:, 3 * size : 4 * size])
        nisa.dma_copy(dst=v[h], src=tile[:, 2 * size : 3 * size])
    return q, k, v
