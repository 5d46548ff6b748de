# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Who runs over the generator moves its counter on."""
def g(c, n):
    while c[0] < n:
        yield c[0]


def kernel(n):
    c = [0]
    for x in g(c, n):
        c[0] += 2
    assert c[0] == n
