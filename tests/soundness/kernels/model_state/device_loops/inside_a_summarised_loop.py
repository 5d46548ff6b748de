# expect: 1 FAILED dma_copy.oob
# dims: 1..
# args: --timeout 2
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for i in range(n):
        for k in nl.dynamic_range(4):
            use(x, r)
            nisa.register_move(r, i + 1)
