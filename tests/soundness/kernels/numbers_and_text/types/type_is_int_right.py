# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert type(n) is int
    assert type(n) == int
    assert type(n + 1) is int
