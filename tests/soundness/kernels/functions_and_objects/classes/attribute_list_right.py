# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

class State:
    def __init__(self):
        self.tiles = []

def kernel(n):
    state = State()
    for i in range(n):
        state.tiles.append(i)
    assert len(state.tiles) == n
    for i in range(n):
        assert state.tiles[i] == i
