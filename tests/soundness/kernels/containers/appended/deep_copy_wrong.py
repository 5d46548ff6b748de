# expect: 1 FAILED|UNKNOWN
# dims: 0..

import copy

def kernel(n):
    values = [[n]]
    other = copy.deepcopy(values)
    other[0].append(1)
    assert len(values[0]) == 2
