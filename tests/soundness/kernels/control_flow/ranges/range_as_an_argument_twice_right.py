# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    steps = range(n)
    for i in steps:
        for j in steps:
            assert i + j <= 2 * n - 2
