# expect: 1 SUCCESSFUL
# dims: 0..

import functools

def kernel(n):
    scale = functools.partial(lambda a, b: a * b, 3)
    for i in range(n):
        assert scale(i) == 3 * i
