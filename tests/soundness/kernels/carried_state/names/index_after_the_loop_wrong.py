# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    i = -1
    for i in range(n):
        pass
    assert i < 3
