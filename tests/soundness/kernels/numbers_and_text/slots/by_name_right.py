# expect: 1 SUCCESSFUL
# dims: 3..
# shapes: 3..5
"""Slots of numbers called by name, directly and by functions of C, with symbolic operands and conditions."""

import functools
import itertools
import operator

AT_LEAST = (100).__ge__


class Bound:
    """Has a slot of one number as an attribute, and one of a class as a method."""

    at_most_four = (4).__ge__
    plus = int.__add__


def kernel(n):
    assert (4).__ge__(n) == (n <= 4)
    assert int.__ne__(4, n) == (n != 4)
    assert AT_LEAST(n) == (n <= 100)
    assert all(map(AT_LEAST, (n, 100))) == (n <= 100)
    assert Bound().at_most_four(n) == (n <= 4)
    assert Bound.plus(4, n) == n + 4
    assert (9).__sub__(n) == 9 - n
    assert (9).__rsub__(n) == n - 9
    assert (9).__divmod__(n) == (9 // n, 9 % n)
    assert True.__and__(n > 3) == (n > 3)
    assert bool.__or__(False, n > 3) == (n > 3)
    assert (4.0).__le__(n) == (n >= 4)
    assert float.__eq__(4.0, n) == (n == 4)
    assert sum(map((4).__add__, (n, 1))) == n + 9
    assert functools.reduce(int.__mul__, (2, n, 2)) == 4 * n
    assert list(itertools.accumulate((1, n), int.__add__))[1] == n + 1
    assert max((2, n), key=(4).__rsub__) == n
    assert operator.methodcaller("__ge__", n)(4) == (n <= 4)
    assert getattr(4, "__ge__")(n) == (n <= 4)
    assert len(list(filter((2).__ne__, (n, 2)))) == 1
    if n == 4:
        assert list(itertools.filterfalse((4).__ne__, (n,))) == [4]
        assert True in map((4).__eq__, (n,))
    return n
