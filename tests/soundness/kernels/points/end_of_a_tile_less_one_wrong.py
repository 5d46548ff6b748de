# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    for t in range((n + 7) // 8):
        assert t * 8 + min(8, n - t * 8) <= n - 1
