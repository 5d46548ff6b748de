# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""What is sent to a generator."""
def g(n):
    for i in range(n):
        y = yield i


def kernel(n):
    s = g(n)
    c = 0
    for x in s:
        c += 1
        if x == 2:
            s.send(1)
    assert c == n
