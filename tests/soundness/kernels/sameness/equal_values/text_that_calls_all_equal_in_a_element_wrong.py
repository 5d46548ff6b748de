# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(str):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = [Odd('a')]
    for i in range(n):
        x = box[0]
        assert len(x) == 1
        box[0] = Odd('bb')
