# expect: 1 SUCCESSFUL
# dims: 0..

import dataclasses

@dataclasses.dataclass(frozen=True)
class Plan:
    rows: int
    columns: int
    @property
    def size(self):
        return self.rows * self.columns

def kernel(n, m):
    plan = Plan(n, m)
    assert plan.size == n * m
    assert dataclasses.replace(plan, rows=1).size == m
