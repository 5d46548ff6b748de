# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x = table(n)
    a, b, spare = nisa.register_alloc(0), nisa.register_alloc(n - 1), nisa.register_alloc(0)
    for i in range(n):
        use(x, a)
        nisa.register_move(spare, a)
        nisa.register_move(a, b)
        nisa.register_move(b, spare)
