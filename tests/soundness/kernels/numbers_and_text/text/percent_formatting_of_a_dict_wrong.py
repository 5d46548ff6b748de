# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "%(a)s" % {"a": n} != "3"
