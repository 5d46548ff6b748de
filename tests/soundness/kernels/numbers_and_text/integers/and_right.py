# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    assert n & 7 == n % 8
    assert -n & 7 == -n % 8
