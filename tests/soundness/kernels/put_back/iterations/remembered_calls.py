# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import functools
@functools.lru_cache
def held(i): return i

def kernel(n):
    for i in range(n):
        assert held.cache_info().currsize == 0
        held(i)
