# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert (n + 1) ** -1 == 1
