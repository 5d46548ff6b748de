# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import numpy as np

def kernel(n):
    total = 0
    for x in np.arange(3):
        total = total + x * n
    assert total == 3 * n
