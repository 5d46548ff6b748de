# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert len([5] * (n - 3)) == max(n - 3, 0)
