# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        x = i
    try:
        y = x
    except NameError:
        y = 100
    assert y <= n
