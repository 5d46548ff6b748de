# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    x = 1 if n > 3 else 2
    assert x == 2
