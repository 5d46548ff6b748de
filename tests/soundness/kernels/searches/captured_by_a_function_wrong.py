# expect: 1 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 1
# shapes: 1..13

def kernel(n, w):
    now = lambda: w
    while n % w:
        w -= 1
    assert now() < 5
