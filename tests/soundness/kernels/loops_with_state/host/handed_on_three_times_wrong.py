# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..9
"""Values of the three rounds before."""
def kernel(n):
    a = b = c = -1
    for i in range(n):
        a, b, c = b, c, [i]
    if n > 2:
        assert a[0] != 4
