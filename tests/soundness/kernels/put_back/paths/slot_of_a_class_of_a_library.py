# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import fractions
held = fractions.Fraction(1)

def kernel(n, m):
    before = held._numerator - 1
    i = 1
    if n > m:
        held._numerator = held._numerator + 1 + i
        assert before == 0
    else:
        assert held._numerator - 1 == before
        assert held._numerator - 1 == 0
