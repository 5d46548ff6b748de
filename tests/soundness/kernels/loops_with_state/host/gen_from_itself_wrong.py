# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 1
"""A generator that yields from itself."""
def g(n):
    if n > 0:
        for i in range(n):
            yield i
        yield from g(n - 1)


def kernel(n):
    c = 0
    for x in g(n):
        c += 1
    assert c < 5
