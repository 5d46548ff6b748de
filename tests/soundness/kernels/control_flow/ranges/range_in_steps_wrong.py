# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    for i in range(0, n, 3):
        assert i + 3 <= n
