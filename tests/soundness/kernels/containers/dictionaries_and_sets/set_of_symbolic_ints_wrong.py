# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    seen = {0, 3}
    seen.add(n)
    assert len(seen) == 3
