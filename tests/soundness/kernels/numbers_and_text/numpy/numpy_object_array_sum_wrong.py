# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    assert np.sum(np.array([n, 1], dtype=object)) < 4
