# expect: 1 FAILED
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(n)
    loop = nl.dynamic_range(r)
    nisa.register_move(r, n + 1)
    for k in loop:
        use(x, k)
