# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import functools
held = functools.partial(len, [])

def kernel(n):
    for i in range(n):
        assert held() == 0
        held.__setstate__((len, ([1],), {}, {}))
