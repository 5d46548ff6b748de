# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
class Box:
    pass
def kernel(n):
    box = {'key': 0.0}
    for i in range(n):
        x = box['key']
        assert math.copysign(1.0, x) > 0
        box['key'] = -0.0
