# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.UserList()

def kernel(n):
    for i in range(n):
        assert len(held) == 0
        held.append(1)
