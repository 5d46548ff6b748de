# expect: 1 FAILED kernel.assert:9
# dims: 0..

def kernel(n, m):
    i = 0
    for i in range(n):
        pass
    for j in range(m):
        assert i <= 3
