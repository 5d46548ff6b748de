# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert type(range(n)) is not range
