# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert int(n / 3 + 2 ** 53) - 2 ** 53 == n // 3
