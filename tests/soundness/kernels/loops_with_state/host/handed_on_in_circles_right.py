# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# dims: 0..
"""A rotation, one of whose values is handed on to another name."""
def kernel(n):
    a, b, d = [1], [2], [0]
    for i in range(n):
        d = a
        a, b = b, a
    if n % 2:
        assert d[0] == 1
