# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(0, n, -1):
        assert False
    assert n >= 0
