# expect: 1 SUCCESSFUL
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..9
# shapes: n=1..9

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    match n > 3:
        case True:
            k = 7
        case False:
            k = 6
        case _:
            k = 5
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
