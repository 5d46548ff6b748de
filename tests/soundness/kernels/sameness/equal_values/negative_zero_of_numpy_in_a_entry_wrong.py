# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
class Box:
    pass
def kernel(n):
    box = {'key': np.float32(0.0)}
    for i in range(n):
        x = box['key']
        assert not np.signbit(x)
        box['key'] = np.float32(-0.0)
