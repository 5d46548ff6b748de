# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import math

def kernel(n):
    for i in range(math.ceil(n / 128)):
        assert 128 * i < n
