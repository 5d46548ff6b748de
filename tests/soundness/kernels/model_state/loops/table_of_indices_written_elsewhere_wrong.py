# expect: 1 FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r = table(n), nisa.register_alloc(0)
    index = nl.ndarray((n, 1), dtype=nl.int32, buffer=nl.hbm)
    for i in range(n):
        nisa.register_move(r, n - i)
        nisa.register_store(index[i:i + 1, :], r)
    for i in range(n):
        nisa.register_load(r, index[i:i + 1, :])
        use(x, r)
