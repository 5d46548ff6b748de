# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n):
        try:
            x = 12 // (3 - i)
        except ZeroDivisionError:
            x = 0
        assert x <= 12
