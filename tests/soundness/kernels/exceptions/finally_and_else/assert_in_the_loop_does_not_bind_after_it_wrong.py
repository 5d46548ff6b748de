# expect: 1 FAILED
# dims: 0..

def kernel(n, m):
    for i in range(n):
        if i == 2:
            assert m < 4
    assert m < 4
