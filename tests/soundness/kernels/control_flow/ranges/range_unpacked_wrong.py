# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    first, *rest = range(n)
    assert first == 0
