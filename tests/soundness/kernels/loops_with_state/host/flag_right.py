# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# dims: 0..
"""A flag of the first round."""
def kernel(n):
    first = True
    c = 0
    for i in range(n):
        if first:
            c += 1
        first = False
    assert c == min(n, 1)
