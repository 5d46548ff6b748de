# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    steps = range(n)
    for a, b in zip(steps, steps):
        assert a == b
