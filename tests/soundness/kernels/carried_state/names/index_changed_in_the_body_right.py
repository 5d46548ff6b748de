# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        i = i + 1
        assert 1 <= i <= n
