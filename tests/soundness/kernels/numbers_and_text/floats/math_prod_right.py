# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import math

def kernel(n):
    assert math.prod((n, 2, n)) == 2 * n * n
