# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert n | 1 == n
    assert n ^ 1 == n + 1
