# expect: 1 FAILED|UNKNOWN
# dims: 0..

def fail(n):
    if n == 3:
        raise RuntimeError("three")
    return n

def kernel(n):
    try:
        x = fail(n)
    except Exception:
        x = -1
    assert x >= 0
