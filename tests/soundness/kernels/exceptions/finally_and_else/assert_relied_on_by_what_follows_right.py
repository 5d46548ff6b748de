# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if n < 5:
        assert n < 10
        assert n < 7
