# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import collections.abc
import numbers

def kernel(n):
    assert isinstance(n, numbers.Integral)
    assert isinstance([n], collections.abc.Sequence)
    assert isinstance(range(n), collections.abc.Sequence)
    assert not isinstance(n / 2, numbers.Integral)
    assert isinstance(n, collections.abc.Hashable)
    assert not isinstance([n], collections.abc.Hashable)
