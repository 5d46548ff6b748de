# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    assert not isinstance(n, (int, np.integer))
