# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    steps = iter(range(n))
    for i in range(n):
        j = next(steps)
        assert j == 0
