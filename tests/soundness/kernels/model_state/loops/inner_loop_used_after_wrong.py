# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, index, r = table(n), tile(), nisa.register_alloc(0)
    for i in range(n):
        for j in range(n):
            nisa.register_move(r, j + 1)
            nisa.register_store(index, r)
        use(x, index)
