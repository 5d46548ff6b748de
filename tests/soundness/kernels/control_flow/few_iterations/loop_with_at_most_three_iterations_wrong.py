# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 1
    for i in range(min(n, 3)):
        x = x * 2
    assert x <= 4
