# expect: 4 SUCCESSFUL df.overwritten
# args: ::kernel --arg 'x=f32[P:1..128,F:1..128]'
"""A second sum in the place of the first one, which was read: accumulate=False begins anew."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((x.shape[1], x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    acc = nl.ndarray((x.shape[1], x.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc, stationary=tile, moving=tile)
    result = nl.ndarray((x.shape[1], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=acc)
    nisa.dma_copy(dst=out, src=result)
    nisa.nc_matmul(dst=acc, stationary=tile, moving=tile, accumulate=False)
    nisa.tensor_copy(dst=result, src=acc)
    nisa.dma_copy(dst=out, src=result)
    return out
