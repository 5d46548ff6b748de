# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert not issubclass(type(n), int)
