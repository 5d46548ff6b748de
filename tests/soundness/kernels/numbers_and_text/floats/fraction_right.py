# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import fractions

def kernel(n):
    assert fractions.Fraction(n, 2) * 2 == n
