# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    if (n, 1) < (m, 0):
        assert n < m
    if (n, 0) < (m, 1):
        assert n <= m
