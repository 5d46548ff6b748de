# expect: 1 FAILED|UNKNOWN
# dims: 0..

import contextlib

def kernel(n):
    x = 0
    for i in range(n):
        y = 1
        with contextlib.suppress(Exception):
            y = x * x + 1
        assert y == 1
        x = y
