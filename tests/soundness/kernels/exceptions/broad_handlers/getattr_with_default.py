# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    x = getattr(n, "atoms", None)
    assert x is None
