# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..9
"""The limit comes nearer."""
def kernel(n):
    i = 0
    m = n
    while i < m:
        x = [i]
        i += 1
        m -= 1
    assert i < 4
