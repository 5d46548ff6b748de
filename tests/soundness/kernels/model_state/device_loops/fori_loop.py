# expect: 1 FAILED dma_copy.oob
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    def body(k):
        use(x, r)
        nisa.register_move(r, n)
    nl.fori_loop(0, 4, body)
