# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A loop of the generator within another one."""
def g(n):
    for i in range(n):
        for j in range(i):
            yield i + j


def kernel(n):
    p = -1
    for x in g(n):
        assert x == p + 1
        p = x
