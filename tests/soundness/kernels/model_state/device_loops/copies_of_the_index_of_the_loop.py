# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, tile, use

def kernel(n):
    x, index = table(n), tile()
    for k in nl.dynamic_range(n):
        nisa.register_store(index, k)
        use(x, index)
