# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[P:1..128,N:1..1024]'
"""Each core computes half of the rows, or all of them where their number is odd: then the cores store the same."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    core = nl.program_id(0)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    sums = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(sums, 0.0)
    count, first = (rows // 2, core * (rows // 2)) if rows % 2 == 0 else (rows, 0)
    nisa.dma_copy(dst=tile[0:count], src=x[first : first + count])
    nisa.tensor_scalar(dst=tile[0:count], data=tile[0:count], op0=nl.add, operand0=sums[0:count])
    nisa.dma_copy(dst=out[first : first + count], src=tile[0:count])
    return out
