# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert int(n / 2 + 0.5) == n // 2
