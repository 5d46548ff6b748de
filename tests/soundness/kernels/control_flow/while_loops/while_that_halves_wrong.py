# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    assert steps <= 1
