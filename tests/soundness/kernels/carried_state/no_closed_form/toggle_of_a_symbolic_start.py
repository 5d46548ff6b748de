# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, s):
    side = s
    for i in range(n):
        side = 1 - side
    assert side <= 1
