# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    steps = iter([0, 0, 0, 0, 0, 0, 0, 0])
    for i in range(min(n, 7)):
        assert next(steps) == 0
