# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i, j in zip(range(n), [0, 0, 1]):
        assert j == 0
