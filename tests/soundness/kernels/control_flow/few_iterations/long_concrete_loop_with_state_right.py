# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    x = 0
    for i in range(100):
        x = max(x, i)
    assert x == 99
    assert n >= 0
