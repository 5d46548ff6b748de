# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

@functools.lru_cache(maxsize=None)
def half(i):
    return i // 2

def kernel(n):
    half.cache_clear()
    for i in range(n):
        half(i)
    assert half.cache_info().misses < 3
