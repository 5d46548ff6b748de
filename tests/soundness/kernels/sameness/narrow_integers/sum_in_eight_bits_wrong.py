# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 253..258

import numpy as np
def kernel(n):
    assert n <= 300
    k = 0
    for i in range(n):
        assert k == i
        k = i + np.uint8(1)
