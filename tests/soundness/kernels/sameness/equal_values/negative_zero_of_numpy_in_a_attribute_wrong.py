# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
class Box:
    pass
def kernel(n):
    box = Box()
    box.part = np.float32(0.0)
    for i in range(n):
        x = box.part
        assert not np.signbit(x)
        box.part = np.float32(-0.0)
