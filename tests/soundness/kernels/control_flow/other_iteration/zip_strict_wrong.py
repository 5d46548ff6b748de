# expect: 1 FAILED kernel.exception:5
# dims: 0..

def kernel(n, m):
    for i, j in zip(range(n), range(m), strict=True):
        pass
