# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m, k):
    assert min(min(n, m), k) * n <= k * n - 1 or n < 1 << 22
