# expect: 1 FAILED kernel.assert:10
# dims: 0..
"""The slice is shorter where the list is."""


def kernel(n):
    xs = []
    for i in range(n):
        xs.append(3 * i)
    assert len(xs[:5]) == min(n, 5) + (1 if n == 4 else 0)
