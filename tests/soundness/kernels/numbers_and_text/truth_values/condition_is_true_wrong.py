# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    small = n < 3
    assert small is True
