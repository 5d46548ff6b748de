# expect: 1 FAILED|UNKNOWN
# dims: 0..

from operator import is_ as the_same
def kernel(n):
    a = n + 1000
    b = 1000 + n
    assert the_same(a, b)
