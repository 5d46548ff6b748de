# expect: 1 SUCCESSFUL
# dims: 0..

def area(*, rows, columns=2, **rest):
    return rows * columns + sum(rest.values())

def kernel(n):
    assert area(rows=n, extra=1) == 2 * n + 1
