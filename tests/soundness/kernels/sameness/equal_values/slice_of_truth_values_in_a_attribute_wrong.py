# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = Box()
    box.part = slice(0, 1)
    for i in range(n):
        x = box.part
        assert type(x.start) is int
        box.part = slice(False, True)
