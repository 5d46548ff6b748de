# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    a = n + 1000
    b = 1000 + n
    assert a is b
