# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = Box()
    box.part = {1: 5}
    for i in range(n):
        x = box.part
        assert type(list(x)[0]) is int
        box.part = {1.0: 5}
