# expect: 1 SUCCESSFUL
# dims: 0..

def power(x, k):
    return 1 if k == 0 else x * power(x, k - 1)

def kernel(n):
    assert power(n, 3) == n * n * n
