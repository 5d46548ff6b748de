# expect: 1 SUCCESSFUL
# dims: 0..
"""Who runs over the generator moves its counter on."""
def g(c, n):
    while c[0] < n:
        yield c[0]


def kernel(n):
    c = [0]
    for x in g(c, n):
        assert x == c[0]
        c[0] += 2
    assert c[0] - n in (0, 1)
