# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a, b = 0, 1
    for i in range(n):
        a, b = b, a + b
    assert a <= n
