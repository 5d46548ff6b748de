# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    assert max(n, m) - min(n, m) != 19999999
