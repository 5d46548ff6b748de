# expect: 1 FAILED|UNKNOWN
# dims: 0..
# solver: 100

def kernel(n, m):
    if m > 0:
        assert n % m < 4
