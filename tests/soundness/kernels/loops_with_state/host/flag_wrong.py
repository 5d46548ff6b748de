# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A flag of the first two rounds."""
def kernel(n):
    a = b = True
    c = 0
    for i in range(n):
        assert not a or i < 1
        a = b
        b = False
