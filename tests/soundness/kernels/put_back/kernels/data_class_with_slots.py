# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import dataclasses
@dataclasses.dataclass(slots=True)
class Held:
    count: int = 0
held = Held()

def kernel(n):
    before = held.count
    for i in range(n):
        held.count = held.count + 1 + i
        if i > 2: break
    assert before == 1
