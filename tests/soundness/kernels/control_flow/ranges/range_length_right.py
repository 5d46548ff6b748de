# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert len(range(n)) == n
    assert 3 * len(range(0, n, 3)) >= n
