# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    size = 1
    for i in range(n):
        assert size <= 4
        size *= 2
