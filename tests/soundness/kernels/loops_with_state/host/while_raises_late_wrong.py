# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..12
"""An exception in the tenth round."""
def kernel(n):
    i = 0
    while i < n:
        x = [1, 2, 3, 4, 5, 6, 7, 8, 9][i]
        i += 1
