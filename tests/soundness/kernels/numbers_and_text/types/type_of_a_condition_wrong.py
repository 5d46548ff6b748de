# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert type(n > 2) is int
