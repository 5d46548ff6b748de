# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n, m):
    for i in range(n):
        m = m + 1
    assert m <= 9
