# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import collections
held = collections.deque()

def kernel(n):
    before = int(held.maxlen is not None)
    for i in range(n):
        held.__init__(maxlen=3)
        if i > 2: break
    assert before == 1
