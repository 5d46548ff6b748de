# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "%s-%s" % (n, 1) != "3-1"
