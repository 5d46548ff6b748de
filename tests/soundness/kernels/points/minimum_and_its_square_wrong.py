# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    x = min(n, 1 << 16)
    assert x * x + x < (1 << 32) + (1 << 16)
