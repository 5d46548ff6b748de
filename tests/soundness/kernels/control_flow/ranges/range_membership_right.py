# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    if m in range(n):
        assert m < n
    else:
        assert m >= n
