# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    tile3 = 1

def kernel(n):
    assert not hasattr(Box, f"tile{n}")
