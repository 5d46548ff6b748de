# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    for i, j in zip(range(n), range(m, m + n), strict=True):
        assert j == i + m
