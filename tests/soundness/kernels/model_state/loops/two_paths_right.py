# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(99)
    if n > 2:
        nisa.register_move(r, 2)
    else:
        nisa.register_move(r, n - 1)
    use(x, r)
