# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    first, second = [i for i in range(n)]
