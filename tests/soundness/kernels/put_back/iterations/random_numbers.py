# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import random
held = random.Random(7)
first = held.getstate()

def kernel(n):
    for i in range(n):
        assert int(held.getstate() != first) == 0
        held.random()
