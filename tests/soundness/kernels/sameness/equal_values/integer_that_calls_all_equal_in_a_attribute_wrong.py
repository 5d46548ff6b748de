# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(int):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = Box()
    box.part = Odd(3)
    for i in range(n):
        x = box.part
        assert int.__add__(x, 0) == 3
        box.part = Odd(4)
