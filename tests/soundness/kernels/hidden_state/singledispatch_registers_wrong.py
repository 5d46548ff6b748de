# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools
@functools.singledispatch
def f(x):
    return 0
def kernel(n):
    for i in range(n):
        assert f("x") == 0
        f.register(str, lambda x: 1)
