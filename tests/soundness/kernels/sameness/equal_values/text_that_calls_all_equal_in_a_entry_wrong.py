# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd(str):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
class Box:
    pass
def kernel(n):
    box = {'key': Odd('a')}
    for i in range(n):
        x = box['key']
        assert len(x) == 1
        box['key'] = Odd('bb')
