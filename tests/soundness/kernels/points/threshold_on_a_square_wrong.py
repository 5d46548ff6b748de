# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    assert n * n < 2147480000 * 2147480000
