# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import operator

def kernel(n):
    assert operator.add(n, 1) == n + 1
    assert operator.floordiv(n, 2) * 2 <= n
    assert operator.attrgetter("real")(n) == n
