# expect: 1 FAILED|UNKNOWN
# dims: 0..

def check(i):
    assert i < 3
    return i

def kernel(n):
    values = [check(i) for i in range(n)]
