# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    """The names change places in the first iteration, and in no other."""
    a, b = [1], [2]
    for i in range(n):
        if a[0] == 1:
            a, b = b, a
    assert n % 2 == 1 or a[0] == 1
