# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 1, 2, 3]
    assert len(values[:n]) == n
