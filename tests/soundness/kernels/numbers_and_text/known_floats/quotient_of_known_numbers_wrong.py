# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert (n - n + 1) / 3 * 3 != 1.0
