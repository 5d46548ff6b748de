# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

class State:
    def __init__(self):
        self.count = 0

def kernel(n):
    state = State()
    for i in range(n):
        assert state.count == i
        state.count += 1
    assert state.count == n
