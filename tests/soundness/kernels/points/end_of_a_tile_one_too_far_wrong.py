# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, d):
    for t in range((n + 15) // 8):
        assert (t * 8 + min(8, n + 8 - t * 8)) * d <= n * d or d < 1 << 24
