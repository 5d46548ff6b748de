# expect: 1 SUCCESSFUL
# dims: 1..
# solver: 10

def kernel(n, w):
    while True:
        if n % w == 0:
            break
        w -= 1
    assert n % w == 0
