# expect: 2 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    return n // (3 * m + 100049 - n)
