# expect: 1 SUCCESSFUL
# dims: 0..

class Tile:
    def __init__(self, n):
        self.length = n
        self.parts = [n]
        self.constant = 3
def kernel(n):
    t = Tile(n)
    for i in range(n):
        assert i < t.length
        assert t.parts[0] == n
        assert t.constant == 3
