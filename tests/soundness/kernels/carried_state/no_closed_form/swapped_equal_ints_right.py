# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    a, b = n, n
    for i in range(n):
        assert a == n
        a, b = b, a
