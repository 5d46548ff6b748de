# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert f"{n + 1:>4}" != "   4"
