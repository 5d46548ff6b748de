# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    last = 0
    values = [last := last + 1 for i in range(n)]
    assert last < 3
