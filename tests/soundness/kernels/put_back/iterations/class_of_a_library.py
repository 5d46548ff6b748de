# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import fractions

def kernel(n):
    for i in range(n):
        assert int(hasattr(fractions.Fraction, 'seen')) == 0
        fractions.Fraction.seen = i
