# expect: 1 BOUNDED|SUCCESSFUL
# dims: 0..


def kernel(n):
    """One of two names that change places has a third name."""
    a, b = [1], [2]
    first = a
    for i in range(n):
        a, b = b, a
    assert first[0] == 1
    assert a[0] == 1 + n % 2
