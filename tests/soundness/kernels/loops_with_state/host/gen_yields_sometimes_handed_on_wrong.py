# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A number is handed on over rounds that yield nothing."""
def g(n):
    for i in range(n):
        if i != 2:
            yield i


def kernel(n):
    p = -1
    for x in g(n):
        assert p == x - 1
        p = x
