# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import random
held = random.Random(7)
first = held.getstate()

def kernel(n):
    before = int(held.getstate() != first)
    for i in range(n):
        held.random()
        if i > 2: break
    assert before == 1
