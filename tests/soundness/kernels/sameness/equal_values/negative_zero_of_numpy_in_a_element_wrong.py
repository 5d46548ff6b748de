# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
class Box:
    pass
def kernel(n):
    box = [np.float32(0.0)]
    for i in range(n):
        x = box[0]
        assert not np.signbit(x)
        box[0] = np.float32(-0.0)
