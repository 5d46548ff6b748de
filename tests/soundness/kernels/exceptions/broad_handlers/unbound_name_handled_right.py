# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n):
        x = i
    try:
        y = x
    except NameError:
        y = 0
    assert y <= n
