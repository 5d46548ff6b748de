# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The test after the last round raises."""
def kernel(n):
    i = 0
    while [3, 3, 3, 3][i] * n > i * n:
        x = [i]
        i += 2
    assert n < 2
