# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..64'
"""The step of a device loop is a number of the host."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)

    def body(i):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)

    times = loaded(count)
    nl.fori_loop(0, times, body, 2)
    nisa.dma_copy(dst=result, src=tile)
    return result
