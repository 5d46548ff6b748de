# expect: 2 FAILED host.division_by_zero:7
# dims: 0..

import math

def kernel(n):
    x = math.ceil(12 / (n - 3))
