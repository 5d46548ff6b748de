# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    value = 1
def kernel(n):
    A.__doc__ = "A"
    for i in range(n):
        assert A.__doc__ == "A"
        A.__doc__ = "B"
