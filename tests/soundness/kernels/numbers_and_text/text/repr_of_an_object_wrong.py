# expect: 1 FAILED|UNKNOWN
# dims: 0..

import dataclasses

@dataclasses.dataclass
class Plan:
    rows: int

def kernel(n):
    assert repr(Plan(n)) != "Plan(rows=3)"
