# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m, d):
    assert max(n, m) * d >= n * d + 1 or d < 1 << 25
