# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x, index = table(1), nl.ndarray((4, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(index, [[1, 1]], 0, 1)
    use(x, index[0:1, :])
