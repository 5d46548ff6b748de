# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = StopIteration(0)
    for i in range(n):
        assert state.value < 3
        state.value += 1
