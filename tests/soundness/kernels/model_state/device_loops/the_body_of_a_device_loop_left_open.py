# expect: 1 UNKNOWN|BOUNDED
# dims: 1..
# shapes: none

import nki.language as nl

def kernel(n):
    loop = iter(nl.dynamic_range(4))
    for i in range(n):
        next(loop, None)
