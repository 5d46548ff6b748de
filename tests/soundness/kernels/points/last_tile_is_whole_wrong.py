# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, d):
    for t in range((n + 127) // 128):
        assert min(128, n - t * 128) * d <= 127 * d or n < 1 << 25
