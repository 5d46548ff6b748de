# expect: 1 SUCCESSFUL
# dims: 0..
"""A slice of a list that a loop made ends where the list does, and a negative bound counts from its end."""


def kernel(n, a, b):
    xs = []
    for i in range(n):
        xs.append(3 * i)
    first, last = min(a, n), min(b, n)
    ys = xs[a:b]
    assert len(ys) == max(last - first, 0)
    for i, y in enumerate(ys):
        assert y == 3 * (first + i)
    zs = xs[-a:]
    assert len(zs) == (min(a, n) if a > 0 else n)
    for i, z in enumerate(zs):
        assert z == 3 * (n - len(zs) + i)
