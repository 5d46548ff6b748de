# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    assert min(n + 2147483000, m) < 2147483640
