# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki
import nki.isa as nisa
import nki.language as nl
from _tables import table, use

@nki.jit
def launched(n):
    x, r = table(n + 1), nisa.register_alloc(0)
    nisa.register_move(r, nl.program_id(0))
    use(x, r)
def kernel(n):
    launched[2](n)
