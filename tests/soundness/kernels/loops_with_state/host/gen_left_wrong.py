# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The loop over the generator is left in its fourth round."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    c = 0
    for x in g(n):
        c += 1
        if x == 3:
            break
    assert c == n
