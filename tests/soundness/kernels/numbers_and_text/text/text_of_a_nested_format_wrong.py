# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert f"{5:{n}}" != "  5"
