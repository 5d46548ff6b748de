# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    try:
        x = n.to_bytes(4, "little")
    except AttributeError:
        x = 0
    assert x != 0
