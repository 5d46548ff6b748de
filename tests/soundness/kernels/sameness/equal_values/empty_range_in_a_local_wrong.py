# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    x = range(0)
    for i in range(n):
        x = x
        assert x.start == 0
        x = range(5, 5)
