# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    small = n < 3
    n = n + 5
    if small:
        assert n < 8
