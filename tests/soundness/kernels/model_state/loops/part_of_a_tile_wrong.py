# expect: 1 FAILED|UNKNOWN
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x = table(1)
    index = nl.ndarray((2, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(index, 1)
    nisa.memset(index[0:1, :], 0)
    use(x, index[1:2, :])
