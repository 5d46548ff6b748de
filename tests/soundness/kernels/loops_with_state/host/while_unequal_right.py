# expect: 1 SUCCESSFUL|BOUNDED
# dims: 0..
"""A test for the end itself."""
def kernel(n):
    i = 0
    while i != n:
        x = [i]
        i += 1
    assert i == n
