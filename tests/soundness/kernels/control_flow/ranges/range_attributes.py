# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    steps = range(2, n, 3)
    assert steps.start == 2
    assert steps.stop == n
    assert steps.step == 3
