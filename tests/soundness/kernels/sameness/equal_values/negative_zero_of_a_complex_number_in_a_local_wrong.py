# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
class Box:
    pass
def kernel(n):
    x = complex(0.0, 0.0)
    for i in range(n):
        x = x
        assert math.copysign(1, x.imag) > 0
        x = complex(0.0, -0.0)
