# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def moved(x, r, number):
    use(x, r)
    nisa.register_move(r, number)
    return number

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    numbers = [moved(x, r, n - i) for i in range(n)]
