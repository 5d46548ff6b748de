# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert abs(n - 3) >= 0
    assert abs(n - 3) >= 3 - n
    assert abs(3 - n) == abs(n - 3)
