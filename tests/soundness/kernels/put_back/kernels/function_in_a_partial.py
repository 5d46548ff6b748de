# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import functools
held = functools.partial(len, [])

def kernel(n):
    before = held()
    for i in range(n):
        held.__setstate__((len, ([1],), {}, {}))
        if i > 2: break
    assert before == 1
