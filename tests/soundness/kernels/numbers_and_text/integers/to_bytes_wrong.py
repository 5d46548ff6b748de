# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert n.to_bytes(4, "little")[0] < 3
