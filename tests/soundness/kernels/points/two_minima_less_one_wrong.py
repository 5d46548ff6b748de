# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m, k):
    assert min(n, 1 << 20) + min(m, 1 << 20) <= (1 << 21) - 1
