# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x = table(n)
    a, b, c = nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0)
    for i in range(n):
        use(x, c)
        nisa.register_move(c, b)
        nisa.register_move(b, a)
        nisa.register_move(a, n - i)
