# expect: 1 SUCCESSFUL
# dims: 0..
# shapes: 0..9
"""The last step is shorter."""
def kernel(n):
    i = 0
    while i < n:
        x = [i]
        i += min(4, n - i)
    assert i == n
