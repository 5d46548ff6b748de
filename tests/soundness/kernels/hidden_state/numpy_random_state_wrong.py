# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    np.random.seed(0)
    first = np.random.randint(1000)
    np.random.seed(0)
    for i in range(n):
        assert np.random.randint(1000) == first
