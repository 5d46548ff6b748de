# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    a = np.zeros(2, dtype=[("x", np.int32)])
    for i in range(n):
        a["x"] += 1
        assert a["x"][0] < 4
