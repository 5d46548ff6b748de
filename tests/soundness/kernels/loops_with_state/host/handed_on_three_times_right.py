# expect: 1 SUCCESSFUL|BOUNDED
# dims: 0..
"""Values of the three rounds before."""
def kernel(n):
    a = b = c = -1
    for i in range(n):
        a, b, c = b, c, i * 2
        if i > 1:
            assert a == i * 2 - 4
    if n > 2:
        assert a == 2 * n - 6
