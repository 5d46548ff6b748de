# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    assert min(n, 1 << 15) * min(m, 1 << 15) < 1 << 30
