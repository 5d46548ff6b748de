# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x = table(1)
    index = nl.ndarray((1, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(index, 5)
    nisa.memset(index[:, 0:1].broadcast(1, 4), 0)
    use(x, index[:, 1:2])
