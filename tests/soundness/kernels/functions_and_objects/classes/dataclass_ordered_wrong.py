# expect: 1 FAILED|UNKNOWN
# dims: 0..

import dataclasses

@dataclasses.dataclass(frozen=True, order=True)
class Plan:
    rows: int

def kernel(n):
    assert Plan(n) < Plan(3)
