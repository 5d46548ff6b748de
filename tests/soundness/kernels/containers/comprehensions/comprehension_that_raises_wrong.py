# expect: 1 FAILED|UNKNOWN
# dims: 0..

def check(i):
    if i == 3:
        raise ValueError
    return i

def kernel(n):
    values = [check(i) for i in range(n)]
    assert n < 100
