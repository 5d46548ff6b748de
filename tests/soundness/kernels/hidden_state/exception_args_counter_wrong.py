# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = ValueError(0)
    for i in range(n):
        assert state.args[0] < 3
        state.args = (state.args[0] + 1,)
