# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 7
    for i in range(n):
        x = x * x
    try:
        y = x
    except NameError:
        y = 7
    assert y == 7
