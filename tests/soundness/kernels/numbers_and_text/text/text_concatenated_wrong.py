# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "tile" + str(n) != "tile3"
