# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    i = -1
    for i in range(n):
        pass
    assert i == n - 1
