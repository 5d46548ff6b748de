# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n, m):
    assert min(n, m) + max(n, m) == n + m
    assert min(n, m) <= max(n, m, 3)
