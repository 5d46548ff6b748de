# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..9
# shapes: n=1..9
"""Truth values in alternatives that are parts of a pattern."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    match (n > 3, n):
        case (True | None, k) if k > 7:
            row = 8
        case ((False | None) as small, k) if not small:
            row = k - 1
        case (True | False, [] | int()):
            row = 5
        case _:
            row = 6
    nisa.dma_copy(dst=out[row : row + 1, :], src=t[0:1, :])
    return out
