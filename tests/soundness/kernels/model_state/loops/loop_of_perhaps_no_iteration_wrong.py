# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(2), nisa.register_alloc(2)
    for i in range(n - 3):
        nisa.register_move(r, 0)
    use(x, r)
