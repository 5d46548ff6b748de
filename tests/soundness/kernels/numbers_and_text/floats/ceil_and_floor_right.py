# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import math

def kernel(n):
    assert math.ceil(n / 4) == (n + 3) // 4
    assert math.floor(n / 4) == n // 4
    assert math.ceil((n - 9) / 4) == -((9 - n) // 4)
    assert math.trunc((n - 9) / 4) >= math.floor((n - 9) / 4)
