# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b):
    if a * b == 1000001:
        assert a == 1 or b == 1
