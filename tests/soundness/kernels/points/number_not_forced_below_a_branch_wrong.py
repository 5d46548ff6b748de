# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    if n > 2147483640:
        assert (n - 2147483640) * m != 7 * m
