# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import numpy as np

def kernel(n):
    assert np.int64(2) + n == n + 2
    assert n * np.int32(3) == 3 * n
    assert np.int64(7) // (n + 1) <= 7
