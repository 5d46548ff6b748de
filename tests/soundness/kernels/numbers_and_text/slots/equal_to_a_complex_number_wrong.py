# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 3..5
"""A complex number may be equal to an integer."""


def kernel(n):
    assert n != 4 + 0j
    return n
