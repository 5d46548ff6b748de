# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert n.numerator == n
    assert n.denominator == 1
    assert n.real == n
    assert n.imag == 0
