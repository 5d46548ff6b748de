# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[8,64]' --arg n=n:1..999

import nki
import nki.isa as nisa
import nki.language as nl

from itertools import product
@nki.jit
def kernel(x, n):
    out = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    rows = [0, 1]
    for i, j in product(rows, range(n)):
        if len(rows) < 6:
            rows.append(9)
        k = i + len(rows) + 2
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
