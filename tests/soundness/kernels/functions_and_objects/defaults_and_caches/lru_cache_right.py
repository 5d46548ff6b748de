# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import functools

@functools.lru_cache(maxsize=None)
def double(i):
    return 2 * i

def kernel(n):
    for i in range(n):
        assert double(i) == 2 * i
