# expect: 1 SUCCESSFUL
# dims: 0..
"""Two counters in a record."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class S:
    a: int
    b: int


def kernel(n):
    s = S(0, 5)
    for i in range(n):
        assert s.b - s.a * 2 == 5
        s = replace(s, a=s.a + 1, b=s.b + 2)
    assert s.a == n
