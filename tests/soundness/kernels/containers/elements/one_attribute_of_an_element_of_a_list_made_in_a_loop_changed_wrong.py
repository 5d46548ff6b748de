# expect: 1 FAILED|UNKNOWN
# dims: 2..

class Pair:
    def __init__(self, number):
        self.one = number
        self.two = number
def kernel(n):
    pairs = [Pair(i) for i in range(n)]
    pairs[1].one = 7
    assert pairs[1].one == 1
