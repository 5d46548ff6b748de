# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    for i in range(n):
        assert x == 0
        x = 1
