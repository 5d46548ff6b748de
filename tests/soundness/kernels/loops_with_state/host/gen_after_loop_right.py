# expect: 1 SUCCESSFUL
# dims: 0..
"""What the generator does after its loop sees the state that who runs over it has left."""
def g(c, n):
    for i in range(n):
        yield i
    assert c[0] == n
    yield n


def kernel(n):
    c = [0]
    for x in g(c, n):
        c[0] += 1
    assert c[0] == n + 1
