# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
class Box:
    pass
def kernel(n):
    box = [complex(0.0, 0.0)]
    for i in range(n):
        x = box[0]
        assert math.copysign(1, x.imag) > 0
        box[0] = complex(0.0, -0.0)
