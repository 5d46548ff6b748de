# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    a = np.ma.array([1, 2, 3], mask=[0, 0, 0])
    for i in range(n):
        assert a.count() == 3
        a.mask[0] = True
