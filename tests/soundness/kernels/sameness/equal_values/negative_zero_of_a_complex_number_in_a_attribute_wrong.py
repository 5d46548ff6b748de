# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
class Box:
    pass
def kernel(n):
    box = Box()
    box.part = complex(0.0, 0.0)
    for i in range(n):
        x = box.part
        assert math.copysign(1, x.imag) > 0
        box.part = complex(0.0, -0.0)
