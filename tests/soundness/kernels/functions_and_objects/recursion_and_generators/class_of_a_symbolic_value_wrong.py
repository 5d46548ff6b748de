# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert n.__class__ is not int
