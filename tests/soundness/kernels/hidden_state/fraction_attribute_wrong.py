# expect: 1 FAILED|UNKNOWN
# dims: 0..

from fractions import Fraction
class F(Fraction):
    pass
def kernel(n):
    s = F(1)
    s.count = 0
    for i in range(n):
        assert s.count < 3
        s.count += 1
