# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A named tuple."""
from typing import NamedTuple


class S(NamedTuple):
    a: int
    b: int


def kernel(n):
    s = S(0, n)
    for i in range(n):
        s = s._replace(a=s.a + 1, b=s.b - 1)
    assert s.a < 4
