# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    for i in range(n, m):
        assert n <= i < m
