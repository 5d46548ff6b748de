# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    if n != 4 * m + 31337:
        return
    assert m < 1000003
