# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert range(5, 5 - n) == range(0)
