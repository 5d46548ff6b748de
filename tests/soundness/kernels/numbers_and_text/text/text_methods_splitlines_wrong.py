# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str(n).splitlines()[0] != "3"
