# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import math

def kernel(n):
    assert math.ceil(n / 3 - n / 3) == 0
