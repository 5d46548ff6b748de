# expect: 1 SUCCESSFUL
# dims: 0..
"""A generator with numbers."""
def g(n):
    for i in range(n):
        yield 2 * i


def kernel(n):
    for k, x in enumerate(g(n), 5):
        assert x == 2 * (k - 5)
