# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    rng = np.random.default_rng(0)
    first = np.random.default_rng(0).integers(1000)
    for i in range(n):
        assert rng.integers(1000) == first
