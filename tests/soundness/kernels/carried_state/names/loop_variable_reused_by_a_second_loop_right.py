# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    for i in range(n):
        assert i < n
    for i in range(m):
        assert i < m
