# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    x = n and 7
    assert x == 7
