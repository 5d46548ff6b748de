# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""An error of the kernel's own, caught by name, where it cannot occur."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    try:
        assert x.shape[0] <= 128
    except AssertionError as error:
        raise ValueError('too many rows') from error
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
