# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert int((n - 3) / 2) == (n - 3) // 2
