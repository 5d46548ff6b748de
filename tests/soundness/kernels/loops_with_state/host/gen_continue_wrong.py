# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Some rounds count."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        if x == 2:
            continue
        c += 1
    assert c == n
