# expect: 1 SUCCESSFUL
# dims: 0..
"""A module that the kernel imports while it runs is imported again on the next path."""


def kernel(n):
    import _count

    _count.COUNT += 1
    if n > 3:
        assert _count.COUNT == 1
    else:
        assert _count.COUNT == n - n + 1
