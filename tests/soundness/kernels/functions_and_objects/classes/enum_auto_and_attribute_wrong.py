# expect: 1 FAILED|UNKNOWN
# dims: 0..

import enum

class State(enum.Enum):
    A = 0

def kernel(n):
    State.A.count = 0
    for i in range(n):
        assert State.A.count < 3
        State.A.count += 1
