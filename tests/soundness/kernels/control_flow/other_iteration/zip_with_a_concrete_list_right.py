# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i, j in zip(range(n), [0, 1, 2]):
        assert j == i
