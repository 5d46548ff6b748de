# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Numbers:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 2

def kernel(n):
    assert not Numbers(n)
