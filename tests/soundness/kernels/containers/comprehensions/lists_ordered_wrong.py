# expect: 1 FAILED kernel.assert:5
# dims: 0..

def kernel(n):
    assert [n, 1] < [3, 2]
