# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

@functools.singledispatch
def size(value):
    return -1

@size.register(int)
def _(value):
    return value

def kernel(n):
    assert size(n) == -1
