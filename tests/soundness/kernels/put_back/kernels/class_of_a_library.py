# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import fractions

def kernel(n):
    before = int(hasattr(fractions.Fraction, 'seen'))
    for i in range(n):
        fractions.Fraction.seen = i
        if i > 2: break
    assert before == 1
