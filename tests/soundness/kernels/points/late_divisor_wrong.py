# expect: 2 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    assert 5 // (n - 3456789) != 2147483647
