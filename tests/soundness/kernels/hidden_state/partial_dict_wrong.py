# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools
def kernel(n):
    p = functools.partial(max, 1)
    p.count = 0
    for i in range(n):
        assert p.count < 3
        p.count += 1
