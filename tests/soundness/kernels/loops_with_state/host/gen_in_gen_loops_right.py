# expect: 1 SUCCESSFUL
# dims: 0..
"""Loops over generators within one another."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        d = 0
        for y in g(3):
            d += 1
        assert d == 3
        c += d
    assert c == 3 * n
