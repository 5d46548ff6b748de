# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections.abc

def kernel(n):
    assert not isinstance(range(n), collections.abc.Sequence)
