# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import fractions
held = fractions.Fraction(1)

def kernel(n):
    before = held._numerator - 1
    for i in range(n):
        held._numerator = held._numerator + 1 + i
        if i > 2: break
    assert before == 1
