# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert len(str(n + 7)) == 1
