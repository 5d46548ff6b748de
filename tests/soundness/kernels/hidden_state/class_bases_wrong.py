# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    value = 1
class B:
    value = 2
class C(A):
    pass
def kernel(n):
    C.__bases__ = (A,)
    for i in range(n):
        assert C.value == 1
        C.__bases__ = (B,)
