# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 903..905
"""Text that functions make which others call: it is data all the same."""


def kernel(n):
    assert next(map(str, (n,))) != "904"
    assert next(map(format, (n,))) != "904"
    return n
