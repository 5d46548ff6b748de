# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert sum([i for i in range(n)]) <= 6
