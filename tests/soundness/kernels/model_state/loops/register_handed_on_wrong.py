# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for i in range(n):
        use(x, r)
        s = nisa.register_alloc(0)
        nisa.register_move(s, i + 1)
        t = nisa.register_alloc(0)
        nisa.register_move(t, 0)
        r = s
    use(x, r)
