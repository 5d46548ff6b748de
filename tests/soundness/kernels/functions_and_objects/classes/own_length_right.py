# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

class Numbers:
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n

def kernel(n):
    assert len(Numbers(n)) == n
