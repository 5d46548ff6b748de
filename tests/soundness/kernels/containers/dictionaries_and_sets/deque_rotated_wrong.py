# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections

def kernel(n):
    slots = collections.deque([0, 0, 1])
    for i in range(n):
        assert slots[0] == 0
        slots.rotate(-1)
