# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert hasattr(n / 2, "top")
