# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The generator is closed in the fourth round."""
def g(n):
    for i in range(n):
        yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        c += 1
        if x == 3:
            s.close()
    assert c == n
