# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.UserDict()

def kernel(n):
    for i in range(n):
        assert len(held) == 0
        held[i] = 1
