# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    kinds = list(map(type, [n, 1]))
    assert kinds[0] is not int
