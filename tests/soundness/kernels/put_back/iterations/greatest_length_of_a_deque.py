# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.deque()

def kernel(n):
    for i in range(n):
        assert int(held.maxlen is not None) == 0
        held.__init__(maxlen=3)
