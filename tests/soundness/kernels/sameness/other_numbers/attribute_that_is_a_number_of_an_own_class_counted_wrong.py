# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Size(int):
    pass
class Box:
    pass
def kernel(n):
    box = Box()
    box.size = Size(0)
    for i in range(n):
        assert isinstance(box.size, Size)
        box.size = box.size + 1
