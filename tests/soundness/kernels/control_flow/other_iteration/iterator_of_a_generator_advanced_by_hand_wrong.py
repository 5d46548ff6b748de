# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    steps = (j for j in [0, 0, 0, 1, 2])
    for i in range(n):
        assert next(steps, 0) == 0
