# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Two generators at once."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x, y in zip(g(n), g(n + 1)):
        c += 1
    assert c < 5
