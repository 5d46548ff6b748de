# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert repr(slice(0, n)) != "slice(0, 3, None)"
