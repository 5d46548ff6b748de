# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    assert n ** 2 == n * n
    assert n ** 0 == 1
    assert n ** 3 >= n
