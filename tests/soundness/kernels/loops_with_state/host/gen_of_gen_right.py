# expect: 1 SUCCESSFUL
# dims: 0..
"""A generator over another one."""
def g(n):
    for i in range(n):
        yield 3 * i


def h(n):
    for x in g(n):
        yield x + 1


def kernel(n):
    c = 0
    for x in h(n):
        assert x == 3 * c + 1
        c += 1
    assert c == n
