# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert sum([n, 2, n]) == 2 * n + 2
    assert sum([n, 2], 3) == n + 5
