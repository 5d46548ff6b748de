# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Numbers of a generator."""
def g(n):
    for i in range(n):
        yield i * 2


def kernel(n):
    c = 0
    for x in g(n):
        assert x < 8
        c += 1
