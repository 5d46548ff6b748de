# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The body counts after it takes a second number: where the generator asks for it, the count is that of before."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        next(s, -1)
        c += 1
    assert c <= 1
