# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
class Box:
    pass
def kernel(n):
    box = [0.0]
    for i in range(n):
        x = box[0]
        assert math.copysign(1.0, x) > 0
        box[0] = -0.0
