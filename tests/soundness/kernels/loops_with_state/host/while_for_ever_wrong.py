# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Its counter goes the wrong way."""
def kernel(n):
    i = n
    while i > 2:
        x = [i]
        i += 1
        if i > 40:
            assert False
