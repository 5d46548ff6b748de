# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert f"tile_{n}" != "tile_3"
