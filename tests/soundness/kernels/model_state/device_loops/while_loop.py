# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, r, go = table(n), nisa.register_alloc(0), nisa.register_alloc(1)
    def body(condition):
        use(x, r)
        nisa.register_move(r, n)
        return condition
    nl.while_loop(go, body)
