# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""Arms that would be too many blocks within one another, of which CPython allows twenty, stay as they are."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for a in range(1):
        for b in range(1):
            for c in range(1):
                for d in range(1):
                    for e in range(1):
                        for f in range(1):
                            for g in range(1):
                                for h in range(1):
                                    for i in range(1):
                                        if x.shape[0] > 1:
                                            if x.shape[1] > 1:
                                                nisa.memset(tile, value=0.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
