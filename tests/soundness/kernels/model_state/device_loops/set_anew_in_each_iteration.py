# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(99)
    for k in nl.dynamic_range(4):
        nisa.register_move(r, n - 1)
        use(x, r)
        nisa.register_move(r, 99)
