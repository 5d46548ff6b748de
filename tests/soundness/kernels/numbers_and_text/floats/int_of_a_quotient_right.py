# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert int(n / 2) == n // 2
    assert int(-n / 2) == -(n // 2)
