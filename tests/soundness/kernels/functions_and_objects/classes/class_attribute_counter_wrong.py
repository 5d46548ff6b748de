# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    count = 0

def kernel(n):
    State.count = 0
    for i in range(n):
        assert State.count < 3
        State.count += 1
