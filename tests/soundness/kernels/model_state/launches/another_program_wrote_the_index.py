# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki
import nki.isa as nisa
import nki.language as nl
from _tables import table, use_shared

@nki.jit
def launched(n):
    x, r = table(n), nisa.register_alloc(0)
    index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    if nl.program_id(0) == 0:
        nisa.register_move(r, n)
        nisa.register_store(index, r)
    else:
        nisa.register_store(index, r)
        use_shared(x, r, index)
def kernel(n):
    launched[2](n)
