# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    condition = n > 3
    assert not hasattr(condition, "to_bytes")
