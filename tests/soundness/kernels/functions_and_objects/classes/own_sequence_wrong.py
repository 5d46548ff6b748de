# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Numbers:
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return i

def kernel(n):
    for i in Numbers(n):
        assert i < 3
