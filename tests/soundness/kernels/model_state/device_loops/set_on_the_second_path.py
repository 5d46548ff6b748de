# expect: 1 FAILED dma_copy.oob
# dims: 1..
# args: --timeout 5
# shapes: none
"""The path that leaves the register alone is explored first: what it claims rests on what the other path does, too."""

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for k in nl.dynamic_range(4):
        use(x, r)
        if n > 3:
            pass
        else:
            nisa.register_move(r, n)
