# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    y = 0
    for i in range(n):
        assert y == 0
        y = x
        x = 1
