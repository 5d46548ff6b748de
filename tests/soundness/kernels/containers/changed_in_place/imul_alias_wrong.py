# expect: 1 FAILED idx.oob
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
    rows = [0, 1]
    alias = rows
    alias *= 2
    k = len(rows) - 3 + (7)
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
