# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    if (n > 3) & (n < 5):
        assert n == 4
    if (n > 3) | (n < 2):
        assert n != 2
