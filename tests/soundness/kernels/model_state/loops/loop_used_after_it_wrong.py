# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for i in range(n + 1):
        nisa.register_move(r, i)
    use(x, r)
