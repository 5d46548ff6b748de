# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The generator is begun by the body of a loop over another one."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in g(n):
        c += next(s, 0)
    assert c < 6
