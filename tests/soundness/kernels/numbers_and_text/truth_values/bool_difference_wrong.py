# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert (n > 3) - (n > 5) == 0
