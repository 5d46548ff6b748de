# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, tile, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    first, second, third = tile(), tile(), tile()
    for i in range(n):
        use(x, third)
        nisa.tensor_copy(third, second)
        nisa.tensor_copy(second, first)
        nisa.register_move(r, n - i)
        nisa.register_store(first, r)
