# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, step):
    offset = 0
    for i in range(n):
        assert offset == i * step
        offset += step
    assert offset == n * step
