# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import dataclasses
@dataclasses.dataclass
class Held:
    count: int = 0
held = Held()

def kernel(n):
    for i in range(n):
        assert held.count == 0
        held.count = held.count + 1 + i
