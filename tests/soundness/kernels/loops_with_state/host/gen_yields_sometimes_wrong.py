# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""Some rounds of the generator yield."""
def g(n):
    for i in range(n):
        if i != 2:
            yield i


def kernel(n):
    c = 0
    for x in g(n):
        c += 1
    assert c == n
