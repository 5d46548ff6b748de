# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    known = True
    try:
        x = 12 / (n - 3)
    except ZeroDivisionError:
        known = False
    assert known
