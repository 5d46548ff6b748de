# expect: 1 SUCCESSFUL
# dims: 0..
"""A slice across an element, what a loop appended, and another element."""


def kernel(n, k):
    xs = [7]
    for i in range(n):
        xs.append(i)
    xs.append(9)
    ys = xs[1 : n + 1]
    assert len(ys) == n
    for i, y in enumerate(ys):
        assert y == i
    zs = xs[min(k, n + 1) :]
    assert len(zs) == n + 2 - min(k, n + 1)
    assert zs[len(zs) - 1] == 9
    if k >= 1 and k <= n:
        assert zs[0] == k - 1
