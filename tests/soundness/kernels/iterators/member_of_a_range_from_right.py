# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, k):
    if k in range(n, n + 3):
        assert n <= k < n + 3
