# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a = b = c = 0
    for i in range(n):
        assert c == 0
        c = b
        b = a
        a = 1
