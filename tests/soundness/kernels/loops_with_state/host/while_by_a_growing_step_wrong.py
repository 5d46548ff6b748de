# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..8
"""The step grows."""
def kernel(n):
    a, b = 0, 1
    while a < n:
        x = [a]
        assert a == 0 or b != 4
        a += b
        b += 1
