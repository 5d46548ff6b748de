# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import functools

@functools.singledispatch
def size(value):
    return -1

@size.register(int)
def _(value):
    return value

@size.register(list)
def _(value):
    return len(value)

def kernel(n):
    assert size(n) == n
    assert size([1, 2]) == 2
