# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = (n + 2 ** 62 + 1) / 1
    assert int(x) == n + 2 ** 62 + 1
