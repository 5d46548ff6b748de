# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    if n % m == 0 and m > 1 << 14:
        assert n // m < 1 << 16
