# expect: 1 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 1
# shapes: 1..9

def kernel(n, w):
    try:
        while n % w:
            w -= 2
    except ZeroDivisionError:
        assert False
