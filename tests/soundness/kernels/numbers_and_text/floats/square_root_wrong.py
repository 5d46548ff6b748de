# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math

def kernel(n):
    assert math.sqrt(n) < 2
