# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki
import nki.isa as nisa
import nki.language as nl
from _tables import table, shared_index, use_shared

@nki.jit
def launched(n, index):
    x, r = table(n), nisa.register_alloc(n)
    if nl.program_id(0) == 0:
        use_shared(x, r, index)
    else:
        nisa.register_store(index, r)
def kernel(n):
    launched[2](n, shared_index())
