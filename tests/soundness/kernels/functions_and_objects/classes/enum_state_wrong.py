# expect: 1 FAILED|UNKNOWN
# dims: 0..

import enum

class State(enum.Enum):
    A = 0
    B = 1
    C = 2

def kernel(n):
    state = State.A
    for i in range(n):
        assert state is not State.C
        state = State.B if state is State.A else State.C
