# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    def __init__(self):
        self.tiles = []

def kernel(n):
    state = State()
    for i in range(n):
        state.tiles = [i]
    assert len(state.tiles) == 0
