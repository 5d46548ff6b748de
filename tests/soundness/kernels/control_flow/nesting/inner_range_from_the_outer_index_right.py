# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        for j in range(i, n):
            assert j >= i
            assert n - j <= n - i
