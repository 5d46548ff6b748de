# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m, k):
    assert min(n, m) * k < n * k or k < 1 << 26 or n < m
