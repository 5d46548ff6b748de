# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, first, second = table(n), tile(), tile()
    nisa.tensor_copy(second, first)
    nisa.memset(first, 99)
    use(x, second)
