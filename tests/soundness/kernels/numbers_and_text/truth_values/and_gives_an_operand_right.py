# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    x = n and 7
    assert x == (7 if n else 0)
    y = n or 5
    assert y > 0
