# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
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
    rows = [0, 1, 2, 3, 4, 5, 6, 7]
    for j, i in product(range(n), rows):
        rows[7] = 9
        k = rows[0] if False else i
        nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
