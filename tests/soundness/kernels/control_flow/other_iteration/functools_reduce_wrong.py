# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def kernel(n):
    total = functools.reduce(lambda a, b: a + b, [i for i in range(n)], 0)
    assert total <= 3
