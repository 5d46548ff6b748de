# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert 2 ** n < 8
