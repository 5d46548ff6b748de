# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    for i in range(n):
        try:
            y = x
            del x
        except NameError:
            y = 1
        assert y == 0
