# expect: 1 FAILED|UNKNOWN
# dims: 0..

from collections import namedtuple
class P(namedtuple("P", "x")):
    pass
def kernel(n):
    s = P(1)
    s.count = 0
    for i in range(n):
        assert s.count < 3
        s.count += 1
