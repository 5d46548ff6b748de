# expect: 1 FAILED|UNKNOWN
# dims: 0..

from fractions import Fraction
def kernel(n):
    s = Fraction(1)
    for i in range(n):
        assert s < 3
        s._numerator += 1
