# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(int):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = {'key': Odd(3)}
    for i in range(n):
        x = box['key']
        assert int.__add__(x, 0) == 3
        box['key'] = Odd(4)
