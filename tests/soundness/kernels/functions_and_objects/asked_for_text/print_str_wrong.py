# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..9
# shapes: n=1..9

import nki
import nki.isa as nisa
import nki.language as nl

class Shown:
    def __init__(self):
        self.n = 0
    def __str__(self):
        self.n += 1
        return "x"
    __repr__ = __str__
@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    c = Shown()
    print(c, n)
    k = c.n + 7
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
