# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..15

def kernel(n):
    q, r = divmod(20, n + 1)
    assert r != 6
