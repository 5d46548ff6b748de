# expect: 1 FAILED|UNKNOWN
# dims: 0..

import dataclasses

@dataclasses.dataclass(frozen=True)
class Plan:
    rows: int

def kernel(n):
    assert len({Plan(n), Plan(3)}) == 2
