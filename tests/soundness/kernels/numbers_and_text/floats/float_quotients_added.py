# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..59

def kernel(n):
    assert n / 10 + n / 5 == 3 * n / 10
