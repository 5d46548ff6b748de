# expect: 1 FAILED|UNKNOWN
# dims: 0..

import fractions

def kernel(n):
    assert fractions.Fraction(n, 2) < 2
