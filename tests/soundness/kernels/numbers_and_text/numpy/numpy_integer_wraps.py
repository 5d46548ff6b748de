# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    x = np.int8(100)
    for i in range(n):
        assert x > 0
        x = np.int8(x + np.int8(0)) if i < 2 else np.int8(-1)
