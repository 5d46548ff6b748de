"""A new step is written into a cache behind `position` steps; the whole cache is handed on."""

# legal: H <= 128, position + T <= L, H == H_, D == D_

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def cache_update(cache, step, position: int):
    H, L, D = cache.shape
    H_, T, D_ = step.shape
    assert H == H_ and D == D_
    assert position + T <= L, "room for the step"
    out = nl.ndarray(cache.shape, dtype=cache.dtype, buffer=nl.shared_hbm)
    old = nl.ndarray((H, L, D), dtype=cache.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=old, src=cache)
    # bug: nisa.dma_copy(dst=old[:, position + 1 : position + 1 + T, :], src=step)
    nisa.dma_copy(dst=old[:, position : position + T, :], src=step)
    nisa.dma_copy(dst=out, src=old)
    return out
