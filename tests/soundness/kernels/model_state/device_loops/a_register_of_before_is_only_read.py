# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(n - 1)
    for k in nl.dynamic_range(4):
        use(x, r)
    use(x, r)
