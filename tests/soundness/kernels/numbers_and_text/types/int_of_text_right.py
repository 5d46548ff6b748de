# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert int("12") == 12
    assert int(3.7) == 3
    assert int("ff", 16) + n >= 255
