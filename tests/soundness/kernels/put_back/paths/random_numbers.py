# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import random
held = random.Random(7)
first = held.getstate()

def kernel(n, m):
    before = int(held.getstate() != first)
    i = 1
    if n > m:
        held.random()
        assert before == 0
    else:
        assert int(held.getstate() != first) == before
        assert int(held.getstate() != first) == 0
