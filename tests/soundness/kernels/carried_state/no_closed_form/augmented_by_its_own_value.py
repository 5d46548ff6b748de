# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 1
    for i in range(n):
        x += x
    assert x == n + 1
