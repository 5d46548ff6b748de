# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n - 1, -1, -1):
        assert 0 <= i < n
