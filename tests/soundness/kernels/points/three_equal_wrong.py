# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b, c):
    if a == b:
        assert a + 99991 != c
