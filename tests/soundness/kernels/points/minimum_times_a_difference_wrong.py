# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m, d):
    assert min(n, m) * (d - 1) <= n * (d - 1) - (d - 1) // (1 << 24)
