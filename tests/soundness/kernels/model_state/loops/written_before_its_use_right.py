# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(99)
    for i in range(n):
        nisa.register_move(r, n - 1 - i)
        use(x, r)
        nisa.register_move(r, 99)
