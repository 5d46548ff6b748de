# expect: 1 FAILED|UNKNOWN
# dims: 0..

def step():
    step.count += 1
    return step.count

step.count = 0

def kernel(n):
    step.count = 0
    for i in range(n):
        assert step() < 3
