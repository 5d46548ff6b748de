# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: none

import nki.language as nl
from _tables import tile

def kernel(n):
    if n > 2:
        nl.no_reorder().__enter__()
    else:
        for k in nl.dynamic_range(4):
            tile()
