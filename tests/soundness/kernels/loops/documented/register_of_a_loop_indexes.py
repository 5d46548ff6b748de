# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[N:1..64,128,C:1..512]'
"""nl.dynamic_range: `x[i]` with the register of the loop as an index (MIG-0.6: only in `.ap(scalar_offset=…)`)."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    pages, rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(pages):
        tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i])
        nisa.dma_copy(dst=out[i], src=tile)
    return out
