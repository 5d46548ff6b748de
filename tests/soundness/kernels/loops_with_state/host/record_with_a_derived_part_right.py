# expect: 1 SUCCESSFUL
# dims: 0..
"""A part that the record computes itself."""
from dataclasses import dataclass, field, replace


@dataclass
class S:
    a: int
    off: int = field(init=False)

    def __post_init__(self):
        self.off = self.a * 64


def kernel(n):
    s = S(0)
    for i in range(n):
        assert s.off == i * 64
        s = replace(s, a=s.a + 1)
    assert s.off == n * 64
