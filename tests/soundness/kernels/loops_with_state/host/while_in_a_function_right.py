# expect: 1 SUCCESSFUL
# dims: 0..
"""Loops of one statement with different limits."""
def count(n):
    i = 0
    x = []
    while i < n:
        x.append(i)
        i += 1
    return len(x)


def kernel(n):
    assert count(n) + count(2 * n) == 3 * n
