# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    q, r = divmod(n, 7)
    assert 7 * q + r == n
    assert 0 <= r < 7
