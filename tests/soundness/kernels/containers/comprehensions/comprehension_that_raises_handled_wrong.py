# expect: 1 FAILED|UNKNOWN
# dims: 0..

def check(i):
    if i == 3:
        raise ValueError
    return i

def kernel(n):
    ok = True
    try:
        values = [check(i) for i in range(n)]
    except ValueError:
        ok = False
    assert ok
