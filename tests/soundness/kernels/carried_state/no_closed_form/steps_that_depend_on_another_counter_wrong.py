# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a = 0
    b = 0
    for i in range(n):
        assert b <= 3
        b += a
        a += 1
