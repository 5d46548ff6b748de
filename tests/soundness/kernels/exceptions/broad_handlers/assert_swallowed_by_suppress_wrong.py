# expect: 1 FAILED|UNKNOWN
# dims: 0..

import contextlib

def kernel(n):
    x = 0
    with contextlib.suppress(AssertionError):
        assert n < 3
        x = 1
    assert x == 1
