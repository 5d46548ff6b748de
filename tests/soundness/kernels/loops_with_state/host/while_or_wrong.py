# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 2
"""Two tests."""
def kernel(n):
    i = 0
    while i < n or i < 3:
        x = [i]
        i += 1
    assert i == n
