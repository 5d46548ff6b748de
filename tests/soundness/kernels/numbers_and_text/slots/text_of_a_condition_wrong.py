# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 903..905
"""The text of a condition is that of True or of False."""


def kernel(n):
    assert n < 900 or next(map(format, (n > 3,))) != "True"
    return n
