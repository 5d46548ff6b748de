# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    pass

def kernel(n):
    state = State()
    state.a, state.b = 0, 1
    for i in range(n):
        assert state.a == 0
        state.a, state.b = state.b, state.a
