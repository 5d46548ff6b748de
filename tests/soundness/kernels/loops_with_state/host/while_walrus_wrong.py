# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The test binds a name."""
def kernel(n):
    i = 0
    while (j := i + 1) < n:
        x = [j]
        i += 1
    assert j == n or n < 1
    assert i != 3
