# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The body handles an exception of the fourth round."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        try:
            y = [1, 2, 3][x]
        except IndexError:
            c += 1
    assert c == 0
