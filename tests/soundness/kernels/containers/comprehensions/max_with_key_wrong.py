# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    assert max(n, m, key=lambda x: -x) == n
