# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(s, d):
    if d > 1 << 22 and s == d + 1:
        assert s % 3 != 0
