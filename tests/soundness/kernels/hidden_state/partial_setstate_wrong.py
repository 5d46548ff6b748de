# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools
def kernel(n):
    p = functools.partial(max, 0)
    for i in range(n):
        assert p(0) < 3
        p.__setstate__((max, (p(0) + 1,), {}, {}))
