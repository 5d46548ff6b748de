"""A tile of fixed size is loaded whatever the input is."""

# legal: P == 128, F == 512

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def fixed_tile(x):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:128, 0:512])
    nisa.activation(dst=tile, op=nl.exp, data=tile)
    # bug: nisa.dma_copy(dst=out[0:128, 0:500], src=tile[:, 0:500])
    nisa.dma_copy(dst=out[0:128, 0:512], src=tile)
    return out
