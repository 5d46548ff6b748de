# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    sizes = [4, 5, 6]
    if n < 3:
        assert sizes[n] == n + 4
