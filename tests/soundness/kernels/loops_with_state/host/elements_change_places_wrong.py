# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Two elements of a list change places."""
def kernel(n):
    c = [1, 2]
    for i in range(n):
        c[0], c[1] = c[1], c[0]
    assert c[0] == 1
