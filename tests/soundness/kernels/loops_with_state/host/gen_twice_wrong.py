# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A generator is run over twice."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        c += 1
    for x in s:
        c += 1
    assert c == 2 * n
