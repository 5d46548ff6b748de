# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = Box()
    box.part = range(0)
    for i in range(n):
        x = box.part
        assert x.start == 0
        box.part = range(5, 5)
