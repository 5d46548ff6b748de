# expect: 1 FAILED|UNKNOWN
# dims: 0..

def first(n):
    for i in range(n):
        return i
    return -1

def kernel(n):
    assert first(n) == -1
