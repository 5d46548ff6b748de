# expect: 1 SUCCESSFUL
# dims: 0..
"""A named tuple."""
from typing import NamedTuple


class S(NamedTuple):
    a: int
    b: int


def kernel(n):
    s = S(0, n)
    for i in range(n):
        assert s.a + s.b == n
        s = s._replace(a=s.a + 1, b=s.b - 1)
    assert s.b == 0
