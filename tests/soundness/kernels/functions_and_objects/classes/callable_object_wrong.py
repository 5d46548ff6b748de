# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Step:
    def __init__(self):
        self.count = 0
    def __call__(self):
        self.count += 1
        return self.count

def kernel(n):
    step = Step()
    for i in range(n):
        assert step() < 3
