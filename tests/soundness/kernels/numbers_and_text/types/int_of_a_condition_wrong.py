# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert int(n > 3) == 0
