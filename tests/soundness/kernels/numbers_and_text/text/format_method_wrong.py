# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "{}".format(n) != "3"
