# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 903..905
"""A slot that only a library reads: NotImplemented has no truth value."""

import inspect
import itertools


def kernel(n):
    unequal = inspect.getattr_static(904, "__ne__").__get__(904)
    assert not list(itertools.filterfalse(unequal, (n,)))
    return n
