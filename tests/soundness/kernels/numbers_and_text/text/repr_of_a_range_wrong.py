# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert repr(range(n)) != "range(0, 3)"
