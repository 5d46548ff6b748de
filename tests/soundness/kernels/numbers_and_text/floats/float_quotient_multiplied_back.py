# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..119

def kernel(n):
    assert int(n / 49 * 49) == n
