# expect: 4 FAILED df.read_unwritten:23
# args: ::kernel --arg 'x=f32[P:1..128,N:8..1024]' --arg 'count=i32[1,1] in 0..8'
"""Where there is no round, there are no maxima."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, count):
    result = nl.ndarray((x.shape[0], 8), dtype=x.dtype, buffer=nl.shared_hbm)
    values = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    best = nl.ndarray((x.shape[0], 8), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=values, src=x)

    def body(i):
        nisa.max8(dst=best, src=values)
        nisa.nc_match_replace8(dst=values, data=values, vals=best, imm=-1e30)

    nl.fori_loop(0, loaded(count), body)
    nisa.dma_copy(dst=result, src=best)
    return result
