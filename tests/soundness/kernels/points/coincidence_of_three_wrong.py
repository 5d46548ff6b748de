# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(b, s, h):
    if h == 2 * s and s == 2 * b:
        assert b != 1 << 27
