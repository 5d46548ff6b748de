# expect: 1 FAILED|UNKNOWN
# dims: 3..
# shapes: 3..5
"""A slot that only a library reads: NotImplemented has no truth value."""

import inspect
import itertools


def kernel(n):
    unequal = inspect.getattr_static(4, "__ne__").__get__(4)
    assert not list(itertools.filterfalse(unequal, (n,)))
    return n
