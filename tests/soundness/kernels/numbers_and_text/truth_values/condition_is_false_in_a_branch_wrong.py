# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    small = n < 3
    if small is False:
        assert n < 3
    assert n >= 0
