# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    x = range(0, 3, 2)
    for i in range(n):
        x = x
        assert x.stop == 3
        x = range(0, 4, 2)
