# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..59

def kernel(n):
    assert int(n * (1 / 3) * 3) == n
