# expect: 1 SUCCESSFUL
# dims: 0..
"""The limit comes nearer."""
def kernel(n):
    i = 0
    m = n
    while i < m:
        x = [i]
        i += 1
        m -= 1
    assert i == (n + 1) // 2
