# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    a = np.nditer(np.arange(10))
    for i in range(n):
        assert int(next(a)) < 3
