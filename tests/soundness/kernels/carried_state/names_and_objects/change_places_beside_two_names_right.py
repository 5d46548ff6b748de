# expect: 1 SUCCESSFUL
# dims: 0..


def kernel(n):
    """Two names of another object do not hide that names change places."""
    other = [3]
    same = other
    a, b = [1], [2]
    for i in range(n):
        a, b = b, a
    assert same is other
    assert a[0] == 1 + n % 2
