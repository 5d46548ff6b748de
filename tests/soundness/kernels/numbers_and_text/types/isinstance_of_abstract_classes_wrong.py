# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections.abc
import numbers

def kernel(n):
    assert not isinstance(n, numbers.Integral)
