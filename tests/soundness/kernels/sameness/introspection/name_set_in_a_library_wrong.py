# expect: 1 FAILED|UNKNOWN
# dims: 0..

import types
import numpy as np
import math
class Node:
    pass
def helper(number=1):
    return number
def kernel(n):
    nodes = [Node() for _ in range(n)]
    array = np.zeros(2)
    for i in range(n):
        assert not hasattr(math, 'x_')
        types.ModuleType.__setattr__(math, 'x_', 1)
