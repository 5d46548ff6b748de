# expect: 1 FAILED|UNKNOWN
# dims: 0..

import dataclasses

@dataclasses.dataclass
class State:
    count: int = 0
    log: list = dataclasses.field(default_factory=list)

def kernel(n):
    state = State()
    for i in range(n):
        state.count += 1
        state.log.append(i)
    assert state.count < 3
