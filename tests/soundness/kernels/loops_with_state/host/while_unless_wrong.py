# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A test of two parts, of which the first one ends the loop in its third round."""
def kernel(n):
    i = 0
    while i != 3 and i < n:
        x = [i]
        i += 1
    assert i == n
