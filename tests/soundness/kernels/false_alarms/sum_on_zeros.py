# expect: 4 FAILED df.accumulate_other
# args: ::kernel --arg 'x=f32[P:1..128,F:1..128]'
"""accumulate=True on PSUM that a memset has written, which the page calls undefined."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((x.shape[1], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    acc = nl.ndarray((x.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(acc, 0.0)
    nisa.nc_matmul(dst=acc, stationary=tile, moving=tile, accumulate=True)
    result = nl.ndarray((x.shape[1], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=acc)
    nisa.dma_copy(dst=out, src=result)
    return out
