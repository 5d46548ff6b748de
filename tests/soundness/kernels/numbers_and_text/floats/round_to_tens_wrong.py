# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert round(n, -1) == 0
