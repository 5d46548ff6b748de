# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

class State:
    count = 0

def kernel(n):
    State.count = 0
    for i in range(n):
        assert State.count == i
        State.count += 1
