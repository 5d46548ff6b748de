# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    try:
        assert n < 4
    except:
        assert n >= 4
