# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The body unbinds a name."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        y = x
        del y
        c += 1
    assert c < 4
