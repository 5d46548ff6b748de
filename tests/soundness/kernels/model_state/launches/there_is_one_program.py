# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki
import nki.isa as nisa
import nki.language as nl
from _tables import table, use_shared

@nki.jit
def launched(n):
    x, r = table(n), nisa.register_alloc(0)
    index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    nisa.register_store(index, r)
    use_shared(x, r, index)
def kernel(n):
    launched[1](n)
