# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The step depends on the round."""
def kernel(n):
    i = 0
    r = 0
    while i < n:
        x = [i]
        i += 1 if r % 2 == 0 else 2
        r += 1
    assert i != 4 or n < 3
