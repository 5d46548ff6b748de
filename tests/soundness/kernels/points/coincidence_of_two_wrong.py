# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(s, d):
    if s == 2 * d:
        assert d < 1 << 28
