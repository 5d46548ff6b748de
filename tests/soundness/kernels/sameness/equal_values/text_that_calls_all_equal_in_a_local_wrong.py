# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(str):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    x = Odd('a')
    for i in range(n):
        x = x
        assert len(x) == 1
        x = Odd('bb')
