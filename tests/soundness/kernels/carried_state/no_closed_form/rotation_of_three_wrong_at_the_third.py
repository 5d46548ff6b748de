# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a, b, c = 0, 0, 1
    for i in range(n):
        assert a == 0
        a, b, c = b, c, a
