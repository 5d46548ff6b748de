# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""The second half of the result is not written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    half = (x.shape[0] + 1) // 2
    nisa.dma_copy(dst=out[0:half, :], src=tile[0:half, :])
    return out
