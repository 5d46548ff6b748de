# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Odd:
    def __init__(self):
        self.asked = 0
    def __eq__(self, other):
        self.asked += 1
        return self.asked % 2 == 0
    __hash__ = object.__hash__

def kernel(n):
    odd = Odd()
    for i in range(n):
        assert not (odd == 1)
