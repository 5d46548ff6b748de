# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n, m):
    for i, j in zip(range(n), range(m)):
        assert i < 3
