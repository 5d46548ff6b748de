# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n, m):
    for position, (i, j) in enumerate(zip(range(n), range(2, m))):
        assert i + j == 2 * position + 2
        assert position < 3
