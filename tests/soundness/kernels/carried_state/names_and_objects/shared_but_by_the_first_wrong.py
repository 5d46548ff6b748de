# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    """Two names have two objects behind the first iteration, and one behind the others."""
    a, b = [0], [0]
    read = 0
    for i in range(n):
        read = a[0] + b[0]
        a = [1]
        b = [1] if i == 0 else a
    a[0] = 7
    assert n == 0 or b[0] == 1
