# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x = table(n)
    small = nl.ndarray((1, 1), dtype=nl.int16, buffer=nl.sbuf)
    index = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(small, -1)
    nisa.tensor_copy(index, small)
    use(x, index)
