# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math
def kernel(n):
    math.trap = 0
    for i in range(n):
        assert math.trap < 3
        math.trap += 1
