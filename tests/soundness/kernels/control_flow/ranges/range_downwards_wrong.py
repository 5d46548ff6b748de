# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    for i in range(n, -1, -1):
        assert i < n
