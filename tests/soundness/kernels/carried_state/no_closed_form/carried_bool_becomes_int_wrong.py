# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = True
    for i in range(n):
        assert x == 1
        x = x + 1
