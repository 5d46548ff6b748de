# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    offset = 7
    for i in range(n):
        assert offset == 7 + 3 * i
        offset = offset + 3
    assert offset == 7 + 3 * n
