# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(str):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = Box()
    box.part = Odd('a')
    for i in range(n):
        x = box.part
        assert len(x) == 1
        box.part = Odd('bb')
