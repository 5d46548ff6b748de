# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The generator raises an exception after its loop, which is handled where the count is read."""
def g(n):
    for i in range(n):
        yield i
    raise ValueError


def kernel(n):
    c = 0
    try:
        for x in g(n):
            c += 1
    except ValueError:
        pass
    assert c < 3
