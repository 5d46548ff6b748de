# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
import nki.language as nl
from _tables import table, tile, use

def kernel(n):
    x = table(n)
    number, index = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf), tile()
    nisa.memset(number, 0)
    for i in range(n):
        try:
            nisa.tensor_copy(dst=index, src=number)
        except BaseException:
            pass
        use(x, index)
        nisa.memset(number, 0)
