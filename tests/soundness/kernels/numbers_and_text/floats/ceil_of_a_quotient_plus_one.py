# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..39

import math

def kernel(n):
    assert math.ceil(n / 3 + 1) == (n + 2) // 3 + 1
