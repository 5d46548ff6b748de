# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [5, 6] * n
    assert len(values) < 6
