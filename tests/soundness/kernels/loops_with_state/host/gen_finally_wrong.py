# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""What the generator does at its end."""
def g(c, n):
    try:
        for i in range(n):
            yield i
    finally:
        c[0] += n


def kernel(n):
    c = [0]
    for x in g(c, n):
        pass
    assert c[0] == 0
