# expect: 1 FAILED|UNKNOWN
# dims: 1..
# solver: 10

def kernel(n, w):
    while n % w:
        w -= 1
        if w < 4:
            break
    assert n % w == 0
