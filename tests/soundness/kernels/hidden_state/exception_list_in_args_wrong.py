# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = ValueError([])
    for i in range(n):
        assert len(state.args[0]) < 3
        state.args[0].append(1)
