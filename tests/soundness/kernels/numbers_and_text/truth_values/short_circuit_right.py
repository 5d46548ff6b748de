# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert n == 0 or n >= 1
    assert not (n > 2 and n < 3)
