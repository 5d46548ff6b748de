# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 3..5
"""The text of a condition is that of True or of False."""


def kernel(n):
    assert "%s" % [n > 3] != "[True]"
    return n
