# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import numpy as np
held = np.zeros(4, dtype=int)

def kernel(n):
    for i in range(n):
        assert int(held[0]) == 0
        held[0] = held[0] + 1 + i
