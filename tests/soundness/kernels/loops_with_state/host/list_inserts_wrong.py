# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A list gets an element in front."""
def kernel(n):
    c = [7]
    for i in range(n):
        c.insert(0, i)
    assert c[0] < 4
