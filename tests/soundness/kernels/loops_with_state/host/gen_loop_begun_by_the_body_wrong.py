# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The loop in the generator is begun from the middle of the body, which has counted by then."""
def g(n):
    yield -1
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        c += 1
        if x < 0:
            next(s, 0)
    assert c <= 1
