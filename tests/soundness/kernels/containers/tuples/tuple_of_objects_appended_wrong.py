# expect: 1 FAILED kernel.assert:13
# dims: 0..

class Tile:
    def __init__(self, size):
        self.size = size

def kernel(n):
    found = []
    for i in range((n + 3) // 4):
        found.append(Tile(min(4, n - i * 4)))
    for tile in tuple(found):
        assert tile.size == 4
