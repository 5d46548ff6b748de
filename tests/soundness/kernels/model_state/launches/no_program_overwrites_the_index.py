# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki
import nki.isa as nisa
from _tables import table, shared_index, use_shared

@nki.jit
def launched(n, index):
    x, r = table(n), nisa.register_alloc(n)
    use_shared(x, r, index)
def kernel(n):
    launched[2](n, shared_index())
