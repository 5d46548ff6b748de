# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str(n).rjust(3, "0") != "003"
