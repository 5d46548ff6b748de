# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    assert np.floor(n) < 2
