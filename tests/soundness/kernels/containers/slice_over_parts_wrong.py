# expect: 1 FAILED kernel.assert:12
# dims: 0..
"""The slice begins one element late where the bound is the number of rounds."""


def kernel(n, k):
    xs = [7]
    for i in range(n):
        xs.append(i)
    zs = xs[k:]
    if k == n and n > 2:
        assert zs[0] == k
