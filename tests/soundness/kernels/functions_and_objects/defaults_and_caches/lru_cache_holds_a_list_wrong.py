# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def kernel(n):
    @functools.lru_cache(maxsize=None)
    def state():
        return [0]

    state()
    for i in range(n):
        state()[0] += 1
    assert state()[0] <= 1
