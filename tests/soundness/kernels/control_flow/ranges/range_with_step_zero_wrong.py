# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(0, n, 0):
        pass
