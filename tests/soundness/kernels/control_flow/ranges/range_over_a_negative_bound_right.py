# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n - 3):
        assert n > 3
