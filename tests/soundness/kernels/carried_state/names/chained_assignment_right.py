# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    a = b = 0
    for i in range(n):
        a = b = i + 1
    assert a == b
    assert a == n
