# expect: 1 FAILED|UNKNOWN
# dims: 0..

from collections import namedtuple
class P(namedtuple("P", "x")):
    pass
def kernel(n):
    made = []
    for i in range(n):
        s = P(1)
        s.number = i
        made.append(s)
    for k in range(n):
        assert made[k].number < 3
