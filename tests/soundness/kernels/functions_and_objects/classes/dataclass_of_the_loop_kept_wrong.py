# expect: 1 FAILED|UNKNOWN
# dims: 0..

import dataclasses

@dataclasses.dataclass(frozen=True)
class Plan:
    rows: int

def kernel(n):
    plan = Plan(0)
    for i in range(n):
        plan = Plan(i)
    assert plan.rows < 3
