# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    a = n + 1000
    b = 1000 + n
    assert a is not b
