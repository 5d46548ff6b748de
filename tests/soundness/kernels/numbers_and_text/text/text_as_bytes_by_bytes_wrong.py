# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert bytes(str(n), "ascii") != b"3"
