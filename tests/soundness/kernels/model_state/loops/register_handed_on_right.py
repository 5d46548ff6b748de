# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for i in range(n):
        use(x, r)
        r = nisa.register_alloc(0)
        nisa.register_move(r, 0)
