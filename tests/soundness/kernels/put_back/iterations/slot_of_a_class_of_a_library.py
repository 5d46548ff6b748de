# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import fractions
held = fractions.Fraction(1)

def kernel(n):
    for i in range(n):
        assert held._numerator - 1 == 0
        held._numerator = held._numerator + 1 + i
