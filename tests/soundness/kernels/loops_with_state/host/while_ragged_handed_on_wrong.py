# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..9
"""The counter of the round before, with a last step that is shorter."""
def kernel(n):
    i = 0
    b = 0
    while i < n:
        b = i
        i += min(4, n - i)
        x = [i]
    assert i - b == 4 or n == 0
