# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Loops over generators within one another."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        for y in g(x):
            c += 1
    assert c < 5
