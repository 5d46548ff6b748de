# expect: 1 FAILED|UNKNOWN
# dims: 0..

def bump(state):
    state[0] += 1

def kernel(n):
    state = [0]
    for i in range(n):
        bump(state)
    assert state[0] < 3
