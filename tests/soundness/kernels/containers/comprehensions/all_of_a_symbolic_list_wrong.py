# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert all([i < 3 for i in range(n)])
