# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, d):
    for t in range((n + 7) // 8):
        assert (t * 8 + min(8, n - t * 8)) * ((1 << 30) - d) <= n * ((1 << 30) - d)
