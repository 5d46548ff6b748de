# expect: 1 FAILED|UNKNOWN
# dims: 0..

import operator

def kernel(n):
    assert not operator.call(isinstance, n, int) if hasattr(operator, "call") else not isinstance(n, int)
