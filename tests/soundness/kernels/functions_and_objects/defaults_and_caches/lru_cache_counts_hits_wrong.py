# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def kernel(n):
    @functools.lru_cache(maxsize=None)
    def double(i):
        return 2 * i

    double(1)
    for i in range(n):
        double(1)
    assert double.cache_info().hits < 2
