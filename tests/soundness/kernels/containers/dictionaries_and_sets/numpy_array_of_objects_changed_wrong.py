# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    data = np.array([0, None], dtype=object)
    for i in range(n):
        assert data[1] is None
        data[1] = i
