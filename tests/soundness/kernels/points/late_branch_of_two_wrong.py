# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    x = 0
    if n == 765432:
        x = x + 1
    if m == 234567:
        x = x + 1
    assert x != 2
