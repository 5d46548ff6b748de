# expect: 1 FAILED
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(n)
    for k in nl.dynamic_range(4):
        use(x, r)
