# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            break
    else:
        assert n < 3
        assert n < 2
