# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Two numbers a round."""
def g(n):
    for i in range(n):
        yield 2 * i
        yield 2 * i + 1


def kernel(n):
    p = -1
    for x in g(n):
        p = x
    assert p == n - 1
