# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    last = -1
    values = [(last := i) for i in range(n)]
    assert last < 3
