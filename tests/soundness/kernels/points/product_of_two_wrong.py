# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b, c):
    if a > 50 and b > 60:
        assert a * b + 13 != c
