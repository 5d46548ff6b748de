# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    state = (0, 0)
    for i in range(n):
        assert state[0] == i
        state = (state[0] + 1, state[1])
