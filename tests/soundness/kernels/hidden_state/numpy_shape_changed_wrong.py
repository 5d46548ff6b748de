# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    a = np.zeros((2, 3))
    for i in range(n):
        assert a.shape == (2, 3)
        a.shape = (3, 2)
