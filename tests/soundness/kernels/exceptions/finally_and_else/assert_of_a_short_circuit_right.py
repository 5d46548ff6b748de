# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert n == 0 or 12 // n >= 0
    assert n < 5 and 7 // (5 - n) > 0 or n >= 5
