# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    side = 0
    for i in range(n):
        side = 1 - side
    assert side == 0
