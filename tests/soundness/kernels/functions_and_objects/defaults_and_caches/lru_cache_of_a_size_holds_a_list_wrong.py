# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

@functools.lru_cache(maxsize=4)
def state():
    return [0]

def kernel(n):
    state()
    for i in range(n):
        state()[0] += 1
    assert state()[0] <= 1
