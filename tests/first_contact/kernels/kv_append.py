"""One row of a cache of keys is replaced, at a position that is an argument."""

# legal: B <= 128, B == kB, D == kD, pos <= L - 1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def append_kv(cache, new, pos: int):
    """cache: [B, L, D]; new: [kB, kD] goes to position pos."""
    B, L, D = cache.shape
    kB, kD = new.shape
    assert kB == B and kD == D
    assert pos < L
    out = nl.ndarray((B, L, D), dtype=cache.dtype, buffer=nl.shared_hbm)
    whole = nl.ndarray((B, L, D), dtype=cache.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=whole, src=cache)
    # bug: nisa.dma_copy(dst=whole[:, pos : pos + D], src=new)
    nisa.dma_copy(dst=whole[:, pos, :], src=new)
    nisa.dma_copy(dst=out, src=whole)
    return out
