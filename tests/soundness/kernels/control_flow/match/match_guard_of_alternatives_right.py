# expect: 1 SUCCESSFUL
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..9
# shapes: n=1..9
"""The guard is asked with what the first alternative that matches has bound: not with 9 where the pair begins true."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    for i in range(n):
        match (n > 7, n - i, 9):
            case (True, k, _) | (_, _, k) if k > 8:
                row = 7
            case (True, _, _):
                row = 5
            case _:
                row = 6
        nisa.dma_copy(dst=out[row : row + 1, :], src=t[0:1, :])
    return out
