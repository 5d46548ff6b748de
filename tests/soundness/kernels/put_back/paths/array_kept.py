# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import numpy as np
held = np.zeros(4, dtype=int)

def kernel(n, m):
    before = int(held[0])
    i = 1
    if n > m:
        held[0] = held[0] + 1 + i
        assert before == 0
    else:
        assert int(held[0]) == before
        assert int(held[0]) == 0
