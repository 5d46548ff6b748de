# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    steps = range(2, n + 3, 1)
    assert steps[0] == 2
    assert steps[n] == n + 2
    assert steps[-1] == n + 2
