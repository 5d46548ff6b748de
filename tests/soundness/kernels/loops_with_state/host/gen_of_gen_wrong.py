# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A generator over another one, which counts."""
def g(n):
    for i in range(n):
        yield 3 * i


def h(n):
    k = 0
    for x in g(n):
        k += 1
        yield k


def kernel(n):
    c = 0
    for x in h(n):
        c += x
    assert c < 5
