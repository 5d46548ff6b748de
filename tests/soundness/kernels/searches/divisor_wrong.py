# expect: 1 FAILED|UNKNOWN
# dims: 1..
# solver: 10

def kernel(n, w):
    while n % w:
        w -= 1
    assert w > 1
