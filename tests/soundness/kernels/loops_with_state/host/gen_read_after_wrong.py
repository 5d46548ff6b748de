# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The last number of a generator, of which there may be none."""
def g(n):
    i = 0
    while i < n:
        yield i
        i += 1


def kernel(n):
    for x in g(n):
        pass
    assert x == n - 1
