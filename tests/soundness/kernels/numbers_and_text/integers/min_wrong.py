# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n, m):
    assert min(n, m, 4) == min(n, m)
