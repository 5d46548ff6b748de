# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A generator is kept as a list."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = [x for x in g(n)]
    assert len(c) < 5
