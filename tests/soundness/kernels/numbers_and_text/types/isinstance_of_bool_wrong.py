# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert not isinstance(n > 3, int)
