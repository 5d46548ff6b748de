# expect: 1 FAILED dma_copy.oob
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, tile, use

def kernel(n):
    x, r, index = table(n), nisa.register_alloc(0), tile()
    for k in nl.dynamic_range(4):
        nisa.register_store(index, r)
        use(x, index)
        nisa.register_move(r, n)
