# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b):
    if a > 1000:
        assert a * a != b
