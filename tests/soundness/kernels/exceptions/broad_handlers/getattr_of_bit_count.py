# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = getattr(n, "bit_count", lambda: 0)()
    assert count <= 1
