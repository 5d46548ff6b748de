# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert round(n) == n
