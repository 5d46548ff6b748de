# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..11
# solver: 10

def kernel(n, m):
    w = m * 8
    while n * 8 % w:
        w -= 8
    assert w % 8 == 0 and w >= 8
