# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str(n).isdecimal() and str(n).zfill(2) != "03"
