# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert len([5] * (n - 3)) == n - 3
