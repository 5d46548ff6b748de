# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert n // 2 // 3 == n // 6
