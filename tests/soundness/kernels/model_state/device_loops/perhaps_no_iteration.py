# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(2), nisa.register_alloc(2)
    for k in nl.dynamic_range(n):
        nisa.register_move(r, 0)
    use(x, r)
