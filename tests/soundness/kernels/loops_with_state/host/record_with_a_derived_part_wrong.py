# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..8
"""A part that the record computes itself, in another way from the fifth on."""
from dataclasses import dataclass, field, replace


@dataclass
class S:
    a: int
    off: int = field(init=False)

    def __post_init__(self):
        self.off = self.a * (64 if self.a < 5 else 65)


def kernel(n):
    s = S(0)
    for i in range(n):
        assert s.off == i * 64
        s = replace(s, a=s.a + 1)
