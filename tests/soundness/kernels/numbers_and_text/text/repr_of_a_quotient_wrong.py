# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str(n / 2) != "1.5"
