# expect: 1 FAILED dma_copy.oob
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r, later = table(n), nisa.register_alloc(0), nisa.register_alloc(0)
    for k in nl.dynamic_range(4):
        use(x, later)
        nisa.register_move(later, r)
        nisa.register_move(r, n)
