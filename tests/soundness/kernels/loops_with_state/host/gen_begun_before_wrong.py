# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The first number has been taken before."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    first = next(s, -1)
    c = 0
    for x in s:
        c += 1
    assert c == n
