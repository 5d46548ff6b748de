# expect: 1 SUCCESSFUL
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..9
# shapes: n=1..9

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    """Truth values within a pattern, beside one another, and a number that is equal to one and is none."""
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    match (n > 3, n):
        case (True, k) if k > 7:
            k = 7
        case (True, k):
            pass
        case (False, _):
            k = 2
    match n > 5:
        case True | False:
            pass
        case _:
            k = 8
    match n // n:
        case True:
            k = 9
        case 1:
            pass
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
