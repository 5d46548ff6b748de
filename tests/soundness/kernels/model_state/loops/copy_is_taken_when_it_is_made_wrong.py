# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, first, second = table(n), tile(), tile()
    nisa.memset(first, 99)
    nisa.tensor_copy(second, first)
    nisa.memset(first, 0)
    use(x, second)
