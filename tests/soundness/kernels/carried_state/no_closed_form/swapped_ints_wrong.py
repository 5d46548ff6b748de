# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a, b = 1, 2
    for i in range(n):
        assert a == 1
        a, b = b, a
