# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n, step):
    offset = 0
    for i in range(n):
        offset += step
        assert offset <= 8
