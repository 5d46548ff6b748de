# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    value = 1
def kernel(n):
    A.__name__ = "A"
    for i in range(n):
        assert A.__name__ == "A"
        A.__name__ = "B"
