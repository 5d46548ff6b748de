# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Loops of one statement with different steps."""
def count(n, s):
    i = 0
    x = []
    while i < n:
        x.append(i)
        i += s
    return len(x)


def kernel(n):
    assert count(n, 1) == count(n, 2)
