# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(3), nisa.register_alloc(2)
    for k in nl.dynamic_range(n):
        nisa.register_move(r, 0)
    use(x, r)
