# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A generator with numbers, kept by a name and read on."""
def g(n):
    for i in range(n):
        yield 2 * i


def kernel(n):
    s = enumerate(g(n))
    c = 0
    for k, x in s:
        c += 1
    assert c < 5
