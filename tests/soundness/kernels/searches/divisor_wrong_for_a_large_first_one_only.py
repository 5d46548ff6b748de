# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: 1..11
# solver: 10

def kernel(n, w):
    first = w
    while n % w:
        w -= 1
    assert not (first == 9 and w == 2)
