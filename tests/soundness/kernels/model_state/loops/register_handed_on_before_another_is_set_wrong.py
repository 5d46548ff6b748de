# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    for i in range(n):
        s = nisa.register_alloc(0)
        nisa.register_move(s, n if i == 0 else 0)
        use(x, r)
        r = s
