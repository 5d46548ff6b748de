# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert len(range(5, n)) == n - 5
