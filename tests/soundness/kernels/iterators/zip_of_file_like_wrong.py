# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..999

import nki
import nki.isa as nisa
import nki.language as nl

class Src:
    def __init__(self):
        self.k = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.k += 1
        if self.k > 4:
            raise StopIteration
        return self.k - 1
@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    s = Src()
    for i, v in zip(range(n), s):
        pass
    k = 10 - s.k
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
