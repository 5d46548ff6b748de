# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    for i, j in zip(range(n), range(1, m)):
        assert j == i + 1
        assert i < n
        assert j < m
