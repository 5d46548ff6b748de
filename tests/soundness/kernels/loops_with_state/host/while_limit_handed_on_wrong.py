# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..9
"""The limit is that of a record that comes into use after rounds: by then the number of rounds has been guessed."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    end: int


def kernel(n):
    i = 0
    a = b = c = Limit(n)
    while i < c.end:
        c = b
        b = a
        a = Limit(n + 2)
        i += 1
    assert i <= n
