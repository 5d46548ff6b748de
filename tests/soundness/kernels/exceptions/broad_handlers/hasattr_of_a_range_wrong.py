# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert not hasattr(range(n), "index")
