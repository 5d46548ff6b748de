# expect: 1 SUCCESSFUL
# dims: 0..

class Tile:
    def __init__(self, size, index):
        self.size, self.index = size, index

def tiles(total, size):
    found = []
    for i in range((total + size - 1) // size):
        found.append(Tile(min(size, total - i * size), i))
    return tuple(found)

def kernel(n):
    all_tiles = tiles(n, 4)
    assert isinstance(all_tiles, tuple)
    assert not isinstance(all_tiles, list)
    assert len(all_tiles) == (n + 3) // 4
    for tile in all_tiles:
        assert 1 <= tile.size <= 4
        assert tile.index * 4 + tile.size <= n
    if n:
        assert all_tiles[-1].index == len(all_tiles) - 1
