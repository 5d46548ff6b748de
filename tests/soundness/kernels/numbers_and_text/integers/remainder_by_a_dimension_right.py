# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n, m):
    if m > 0:
        assert n % m < m
        assert n // m <= n
