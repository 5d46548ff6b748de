# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert n * 0.1 * 10 == n
