# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    for i in range(n):
        if i == 2:
            del x
        else:
            assert x == 0
