# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..8
"""A list that grows with the rounds."""
def kernel(n):
    i = 0
    x = []
    while i < n:
        x.append(i * 2)
        i += 1
    if n > 5:
        assert x[5] == 11
