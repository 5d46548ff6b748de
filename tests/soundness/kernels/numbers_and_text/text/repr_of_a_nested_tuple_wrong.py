# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str((1, (n, 2))) != "(1, (3, 2))"
