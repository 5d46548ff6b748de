# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r, count = table(n), nisa.register_alloc(0), 2
    for i in range(n):
        use(x, r)
        nisa.register_move(r, count)
        count += 1
