# expect: 1 FAILED|UNKNOWN
# dims: 0..

def accumulate():
    total = 0
    while True:
        total += yield total

def kernel(n):
    steps = accumulate()
    next(steps)
    for i in range(n):
        assert steps.send(1) < 3
