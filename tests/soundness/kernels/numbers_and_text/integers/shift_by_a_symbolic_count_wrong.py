# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert 1 << n < 8
