# expect: 1 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 1
# shapes: 1..13

def kernel(n, w):
    seen = Box()
    while n % w:
        w -= seen.one
    assert seen.times < 6

class Box:
    def __init__(self):
        self.times = 0

    @property
    def one(self):
        self.times += 1
        return 1
