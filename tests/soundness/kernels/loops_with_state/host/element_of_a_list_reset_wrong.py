# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""An element that begins again after four rounds."""
def kernel(n):
    c = [0]
    for i in range(n):
        c[0] = c[0] + 1 if c[0] < 4 else 0
        assert c[0] != 4
