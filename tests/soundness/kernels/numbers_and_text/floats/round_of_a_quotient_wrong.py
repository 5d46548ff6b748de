# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert round(n / 2) == (n + 1) // 2
