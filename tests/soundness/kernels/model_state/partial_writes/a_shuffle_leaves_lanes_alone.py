# expect: 1 UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: none

import nki.isa as nisa
import nki.language as nl
from _tables import table, use

def kernel(n):
    x = table(1)
    index = nl.ndarray((32, 1), dtype=nl.int32, buffer=nl.sbuf)
    zeros = nl.ndarray((32, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(index, 5)
    nisa.memset(zeros, 0)
    nisa.nc_stream_shuffle(index, zeros, [0] + [255] * 31)
    use(x, index[1:2, :])
