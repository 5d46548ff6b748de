# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    small = n < 3
    if small:
        assert n < 3
    else:
        assert n >= 3
    assert small is True or small is False or True
