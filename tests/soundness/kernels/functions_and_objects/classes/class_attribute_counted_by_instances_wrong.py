# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Tile:
    made = 0
    def __init__(self):
        Tile.made += 1
        self.number = Tile.made

def kernel(n):
    for i in range(n):
        assert Tile().number < 3
