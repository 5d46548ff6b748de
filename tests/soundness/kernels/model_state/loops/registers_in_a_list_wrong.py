# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x, held = table(n), []
    for i in range(n):
        held.append(nisa.register_alloc(n - i))
    for k in range(n):
        use(x, held[k])
