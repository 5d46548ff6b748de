# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert ~n == -n - 1
