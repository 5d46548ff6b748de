# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    try:
        x = float(n) ** 0.5
        x = int(x)
    except Exception:
        pass
    assert x == 0
