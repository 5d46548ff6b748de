# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, d):
    assert min(8, n) * ((1 << 29) - d) >= 0
