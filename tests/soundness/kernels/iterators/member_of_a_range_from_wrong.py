# expect: 1 FAILED
# dims: 0..

def kernel(n, k):
    if k in range(n, n + 3):
        assert k < 3
