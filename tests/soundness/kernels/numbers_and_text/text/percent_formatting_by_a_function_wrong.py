# expect: 1 FAILED|UNKNOWN
# dims: 0..

import operator
def kernel(n):
    assert operator.mod("%s", n) != "3"
