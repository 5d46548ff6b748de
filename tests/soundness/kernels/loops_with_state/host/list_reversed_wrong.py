# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A list is reversed in each round."""
def kernel(n):
    c = [1, 2, 3]
    for i in range(n):
        c.reverse()
    assert c[0] == 1
