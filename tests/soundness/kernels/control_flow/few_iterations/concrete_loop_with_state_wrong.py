# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    x = n
    for i in range(3):
        x = x * 2
    assert x != 40
