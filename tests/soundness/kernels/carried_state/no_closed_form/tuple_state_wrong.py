# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = (0, 0)
    for i in range(n):
        assert state[1] == 0
        state = (1, state[0])
