# expect: 1 FAILED|UNKNOWN
# dims: 0..

import builtins
def kernel(n):
    assert builtins.type(n) is not int
