# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    try:
        x = 12 // (n - 3)
    except ZeroDivisionError:
        assert n < 3
    assert n >= 0
