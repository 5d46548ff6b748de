# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import itertools
held = itertools.count()

def kernel(n):
    before = 0 if repr(held) == 'count(0)' else 1
    for i in range(n):
        next(held)
        if i > 2: break
    assert before == 1
