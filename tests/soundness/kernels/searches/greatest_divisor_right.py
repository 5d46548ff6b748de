# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 1..
# solver: 10

def kernel(n, w):
    first = w
    while n % w:
        w -= 1
    if w < first:
        assert n % (w + 1)
