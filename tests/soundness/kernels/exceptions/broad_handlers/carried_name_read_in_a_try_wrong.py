# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    for i in range(n):
        try:
            x = x * 2 + 1
        except NameError:
            x = 1
        assert x == 1
