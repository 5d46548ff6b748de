# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 903..905
"""The text of a list has that of its numbers in it, by `%`, by `str.__mod__` and by `operator.mod`."""

import operator


def kernel(n):
    assert "%s" % [n] != "[904]"
    assert "%s".__mod__([n]) != "[904]"
    assert operator.mod("%s", [n]) != "[904]"
    return n
