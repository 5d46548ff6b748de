# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert n << 3 == 8 * n
    assert n >> 2 == n // 4
    assert -n >> 1 == -n // 2
