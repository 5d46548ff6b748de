# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The body takes a second number of the generator."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        y = next(s, -1)
        assert y == x + 1 or y == -1
        c += 1
    assert c == n
