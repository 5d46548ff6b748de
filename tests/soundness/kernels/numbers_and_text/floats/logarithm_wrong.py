# expect: 1 FAILED|UNKNOWN
# dims: 0..

import math

def kernel(n):
    assert math.log2(n + 1) <= 2
