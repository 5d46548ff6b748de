# expect: 2 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 5
# shapes: 1..9

def kernel(n, w):
    while n % w:
        w -= 2
