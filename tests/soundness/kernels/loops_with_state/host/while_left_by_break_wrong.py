# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""It is left in its fourth round."""
def kernel(n):
    i = 0
    while i < n:
        x = [i]
        i += 1
        if i == 4:
            break
    assert i == n
