# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    def __init__(self, count):
        self.count = count

def kernel(n):
    state = State(0)
    for i in range(n):
        assert state.count < 3
        state = State(state.count + 1)
