# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import functools
@functools.lru_cache(maxsize=2)
def held(i): return i

def kernel(n, m):
    before = held.cache_info().misses
    i = 1
    if n > m:
        held(i)
        assert before == 0
    else:
        assert held.cache_info().misses == before
        assert held.cache_info().misses == 0
