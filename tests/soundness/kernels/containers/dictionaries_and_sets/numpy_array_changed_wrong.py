# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np

def kernel(n):
    data = np.zeros(2, dtype=np.int64)
    for i in range(n):
        assert data[0] == 0
        data[0] = 1
