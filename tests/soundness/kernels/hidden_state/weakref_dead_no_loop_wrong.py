# expect: 1 FAILED|UNKNOWN
# dims: 0..

import weakref
class A:
    pass
def kernel(n):
    a = A()
    ref = weakref.ref(a)
    for i in range(n):
        a = A()
    assert ref() is not None
