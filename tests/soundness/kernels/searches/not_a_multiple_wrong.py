# expect: 1 FAILED|UNKNOWN
# dims: 1..
# shapes: 1..11
# solver: 10

def kernel(n, m):
    w = m * 8 + 4
    while n * 8 % w and w > 8:
        w -= 8
    assert w % 8 == 0
