# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    sizes = (4, 5, 6)
    if n < 3:
        assert sizes[n] < 6
