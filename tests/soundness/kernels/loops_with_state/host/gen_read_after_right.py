# expect: 1 SUCCESSFUL
# dims: 0..
"""The last number of a generator."""
def g(n):
    i = 0
    while i < n:
        yield i
        i += 1


def kernel(n):
    x = -1
    for x in g(n):
        pass
    assert x == n - 1
