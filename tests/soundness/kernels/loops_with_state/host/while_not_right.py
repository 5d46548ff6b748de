# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# dims: 0..
"""A test that is negated."""
def kernel(n):
    i = 0
    while not i >= n:
        x = [i]
        i += 1
    assert i == n
