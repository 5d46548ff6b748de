# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert n not in range(0, 10, 3)
