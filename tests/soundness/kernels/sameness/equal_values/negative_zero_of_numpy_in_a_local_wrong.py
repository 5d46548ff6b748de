# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
class Box:
    pass
def kernel(n):
    x = np.float32(0.0)
    for i in range(n):
        x = x
        assert not np.signbit(x)
        x = np.float32(-0.0)
