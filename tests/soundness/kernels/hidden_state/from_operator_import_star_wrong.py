# expect: 1 FAILED|UNKNOWN
# dims: 0..

from operator import *
def kernel(n):
    a = n + 1000
    b = 1000 + n
    assert is_(a, b)
