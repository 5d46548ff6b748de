# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = tuple(range(n))
    assert len(values) < 4
