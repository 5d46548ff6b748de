# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import itertools
held = itertools.count()

def kernel(n):
    for i in range(n):
        assert 0 if repr(held) == 'count(0)' else 1 == 0
        next(held)
