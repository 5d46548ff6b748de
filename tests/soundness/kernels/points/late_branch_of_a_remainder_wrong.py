# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    x = 1
    if n % 40009 == 40008:
        x = 0
    assert x
