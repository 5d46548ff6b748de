# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(n)
    for i in range(n):
        if i > 1:
            nisa.register_move(r, i)
        if i > 0:
            use(x, r)
