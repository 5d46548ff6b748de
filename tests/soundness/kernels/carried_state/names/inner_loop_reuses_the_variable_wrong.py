# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    for i in range(n):
        for i in range(m):
            pass
        assert i < n
