# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        try:
            x = 12 // (3 - i)
        except ZeroDivisionError:
            x = -1
        assert x >= 0
