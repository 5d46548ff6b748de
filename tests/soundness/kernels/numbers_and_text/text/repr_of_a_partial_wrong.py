# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def kernel(n):
    assert not repr(functools.partial(len, n)).endswith(", 3)")
