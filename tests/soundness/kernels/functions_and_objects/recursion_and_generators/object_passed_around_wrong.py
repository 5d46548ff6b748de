# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    def __init__(self):
        self.inner = {"log": [[0]]}

def bump(state):
    state.inner["log"][0][0] += 1

def kernel(n):
    state = State()
    for i in range(n):
        bump(state)
    assert state.inner["log"][0][0] < 3
