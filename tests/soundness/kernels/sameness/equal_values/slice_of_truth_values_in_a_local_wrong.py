# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    x = slice(0, 1)
    for i in range(n):
        x = x
        assert type(x.start) is int
        x = slice(False, True)
