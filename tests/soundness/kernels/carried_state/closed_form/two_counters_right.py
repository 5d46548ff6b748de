# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    a = 0
    b = 10
    for i in range(n):
        assert a + b == 10 + 3 * i
        a += 1
        b += 2
