# expect: 1 FAILED|UNKNOWN
# dims: 0..

import abc
class A(abc.ABC):
    pass
class B:
    pass
def kernel(n):
    class A(abc.ABC):
        pass
    b = B()
    for i in range(n):
        assert not issubclass(B, A)
        A.register(B)
