# expect: 1 SUCCESSFUL
# dims: 0..
"""The square of the round before."""
def kernel(n):
    a = 0
    for i in range(n):
        if i > 0:
            assert a == (i - 1) * (i - 1)
        a = i * i
    if n > 0:
        assert a == (n - 1) * (n - 1)
