# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    """Whether two names have one object depends on the iteration."""
    a, b = [0], [0]
    read = 0
    for i in range(n):
        read = a[0] + b[0]
        a = [1]
        b = [1]
        if i % 2 == 0:
            b = a
    a[0] = 7
    assert n < 2 or b[0] == 7
