# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    x = 0
    if n == 7654321:
        x = 1
    assert x == 0
