# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, *range(n)]
    assert len(values) < 4
