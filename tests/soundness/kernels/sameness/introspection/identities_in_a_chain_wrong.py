# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
class Node:
    pass
def helper(number=1):
    return number
def kernel(n):
    nodes = [Node() for _ in range(n)]
    array = np.zeros(2)
    for i in range(n):
        assert not (nodes[0] is nodes[0] is not None)
        pass
