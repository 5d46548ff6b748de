# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(b, s, h):
    if h == b * s:
        assert h < 1 << 29
