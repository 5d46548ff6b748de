# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Two tests."""
def kernel(n):
    i, j = 0, 0
    while i < n and j < 3:
        x = [i]
        i += 1
        j += 1
    assert i == n
